/* What all parts of the core share: integers of fixed size, and what compilers spell differently. */
#ifndef TOKAUDIT_COMMON_H
#define TOKAUDIT_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#if defined(_MSC_VER)
#include <intrin.h>
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#define FORCE_INLINE __forceinline
#if defined(_M_X64)
#define PREFETCH(p) _mm_prefetch((const char *)(p), _MM_HINT_T0)
#else
#define PREFETCH(p) ((void)(p))
#endif
static FORCE_INLINE u32 lowest_bit(u64 x) { /* of x, which is not 0 */
    unsigned long at;
    _BitScanForward64(&at, x);
    return (u32)at;
}
#else
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FORCE_INLINE inline __attribute__((always_inline))
#define PREFETCH(p) __builtin_prefetch(p)
static FORCE_INLINE u32 lowest_bit(u64 x) { return (u32)__builtin_ctzll(x); }
#endif

static inline u32 load32(const u8 *p) {
    u32 value;
    memcpy(&value, p, sizeof value);
    return value;
}

static inline u64 load64(const u8 *p) {
    u64 value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* Bytes of the character that begins with b. Here and below: of valid UTF-8, which is all that comes from a str. */
static inline u32 char_size(u8 b) { return b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4; }

/* The code point of the character at p, and its bytes. */
static inline u32 code_point(const u8 *p, u32 *size) {
    u32 b = *p;
    if (b < 0x80) { *size = 1; return b; }
    if (b < 0xE0) { *size = 2; return (b & 31) << 6 | (p[1] & 63); }
    if (b < 0xF0) { *size = 3; return (b & 15) << 12 | (p[1] & 63) << 6 | (p[2] & 63); }
    *size = 4;
    return (b & 7) << 18 | (p[1] & 63) << 12 | (p[2] & 63) << 6 | (p[3] & 63);
}

#endif
