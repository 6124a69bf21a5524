/* Growing arrays, and byte strings by number in the order in which they were first met. */
#ifndef TOKAUDIT_NAMES_H
#define TOKAUDIT_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#if defined(_MSC_VER)
#include <intrin.h>
#define LIKELY(x) (x)
#define FORCE_INLINE __forceinline
static FORCE_INLINE u32 lowest_bit(u64 x) { /* of x, which is not 0 */
    unsigned long at;
    _BitScanForward64(&at, x);
    return (u32)at;
}
#else
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define FORCE_INLINE inline __attribute__((always_inline))
static FORCE_INLINE u32 lowest_bit(u64 x) { return (u32)__builtin_ctzll(x); }
#endif

static inline u64 load64(const u8 *p) { /* little-endian, as all platforms of the wheels are */
    u64 value;
    memcpy(&value, p, sizeof value);
    return value;
}

typedef struct { int64_t *at; size_t n, room; } Numbers;
typedef struct { u8 *at; size_t n, room; } Bytes;

/* Make room for n elements; what was there stays. 0: no memory is left. */
static int grow(void **array, size_t *room, size_t n, size_t element) {
    if (LIKELY(n <= *room)) return 1;
    if (n > SIZE_MAX / element / 2 - 64) return 0;
    size_t size = n + n / 2 + 64;
    void *more = realloc(*array, size * element);
    if (!more) return 0;
    *array = more;
    *room = size;
    return 1;
}

static FORCE_INLINE int numbers_add(Numbers *to, int64_t value) {
    if (to->n == to->room && !grow((void **)&to->at, &to->room, to->n + 1, sizeof *to->at)) return 0;
    to->at[to->n++] = value;
    return 1;
}

static inline int bytes_add(Bytes *to, const u8 *p, size_t n) {
    if (!grow((void **)&to->at, &to->room, to->n + n, 1)) return 0;
    if (n) memcpy(to->at + to->n, p, n);
    to->n += n;
    return 1;
}

/* Byte strings one after the other, their ends, and an open-addressing table of numbers + 1. */
typedef struct { Bytes text; Numbers ends; u32 *slots; u32 mask; } Names;

static void names_free(Names *names) { free(names->text.at); free(names->ends.at); free(names->slots); }

static u32 names_hash(const u8 *p, size_t n) {
    u64 h = n * 0x9E3779B97F4A7C15ull;
    for (; n >= 8; n -= 8, p += 8) h = (h ^ load64(p)) * 0xBF58476D1CE4E5B9ull, h ^= h >> 29;
    for (; n; n--, p++) h = (h ^ *p) * 0x94D049BB133111EBull;
    return (u32)((h ^ h >> 32) * 0x9E3779B97F4A7C15ull >> 32);
}

/* The slot of a name, or the empty one where it belongs. There is an empty one. */
static u32 *names_slot(const Names *names, const u8 *p, size_t n) {
    for (u32 at = names_hash(p, n) & names->mask;; at = (at + 1) & names->mask) {
        u32 number = names->slots[at];
        if (!number) return &names->slots[at];
        size_t begin = number > 1 ? (size_t)names->ends.at[number - 2] : 0;
        if ((size_t)names->ends.at[number - 1] - begin == n && !memcmp(names->text.at + begin, p, n))
            return &names->slots[at];
    }
}

/* The number of a name, or -1. */
static inline int64_t names_find(const Names *names, const u8 *p, size_t n) {
    return names->slots ? (int64_t)*names_slot(names, p, n) - 1 : -1;
}

/* Twice the slots, or the first ones. 0: no memory is left. */
static int names_spread(Names *names) {
    u32 mask = names->slots ? 2 * names->mask + 1 : 255;
    u32 *slots = mask < 1u << 28 ? calloc((size_t)mask + 1, sizeof *slots) : NULL;
    if (!slots) return 0;
    free(names->slots);
    names->slots = slots;
    names->mask = mask;
    size_t begin = 0;
    for (size_t k = 0; k < names->ends.n; k++) {
        size_t end = (size_t)names->ends.at[k];
        *names_slot(names, names->text.at + begin, end - begin) = (u32)k + 1;
        begin = end;
    }
    return 1;
}

/* The number of a name, which is added where it is new; -1: no memory is left. */
static int64_t names_add(Names *names, const u8 *p, size_t n) {
    if (2 * names->ends.n >= names->mask && !names_spread(names)) return -1;
    u32 *slot = names_slot(names, p, n);
    if (!*slot) {
        if (!bytes_add(&names->text, p, n) || !numbers_add(&names->ends, (int64_t)names->text.n)) return -1;
        *slot = (u32)names->ends.n;
    }
    return (int64_t)*slot - 1;
}

#endif
