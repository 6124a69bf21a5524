/* A vocabulary: the table that table.py lays out (its docstring has the layout), used as it lies in the mapped file.
 *
 * What is cheap is verified when it is opened, the rest where it is used, so that a damaged file does no harm.
 */
#ifndef TOKAUDIT_VOCABULARY_H
#define TOKAUDIT_VOCABULARY_H

#include "common.h"

#define NONE 0xFFFFFu /* no id: ids have 20 bits */
#define HEADER 64u
#define LISTED 1u /* flag: merges are listed; splits has the left part's bytes of the merge that makes each token */
#define MADE 2u   /* flag: every token is what merging makes of its bytes */
#define PARTIAL_SIZE 8192u

typedef struct {
    const u64 *slots;
    const u32 *offsets;
    const u16 *splits;    /* NULL where any two neighbours merge that are a token together */
    const u8 *firm;       /* a bit an id: ideographs that merging makes first */
    const u8 *partial;    /* cuts: see may_join */
    const u8 *whole;
    const u8 *blob;
    u32 ids, mask, longest, blob_size, whole_shift;
    int made;
    u32 byte_id[256];
} Vocabulary;

static u32 crc_table[4][256];

/* CRC-32 as zlib has it, four bytes at a time. */
static void crc_prepare(void) {
    if (crc_table[0][1]) return;
    for (u32 i = 0; i < 256; i++) {
        u32 c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
        crc_table[0][i] = c;
    }
    for (u32 i = 0; i < 256; i++)
        for (int k = 1; k < 4; k++) crc_table[k][i] = crc_table[k - 1][i] >> 8 ^ crc_table[0][crc_table[k - 1][i] & 255];
}

static u32 crc_of(const u8 *p, size_t n) {
    u32 c = ~0u;
    for (; n >= 4; n -= 4, p += 4) {
        c ^= load32(p);
        c = crc_table[3][c & 255] ^ crc_table[2][c >> 8 & 255] ^ crc_table[1][c >> 16 & 255] ^ crc_table[0][c >> 24];
    }
    while (n--) c = c >> 8 ^ crc_table[0][(c ^ *p++) & 255];
    return ~c;
}

static inline u32 length_of(const Vocabulary *v, u32 id) { return v->offsets[id + 1] - v->offsets[id]; }

/* The id of some bytes, or NONE. */
static u32 find(const Vocabulary *v, const u8 *p, size_t n) {
    if (n > v->longest) return NONE;
    u32 code = crc_of(p, n), at = code & v->mask;
    u32 wanted = code >> 20 << 8 | (n < 256 ? (u32)n : 0);
    for (u32 tries = 0; tries <= v->mask; tries++, at = (at + 1) & v->mask) {
        u64 slot = v->slots[at];
        if (!slot) return NONE;
        if ((u32)(slot >> 44) != wanted) continue;
        u32 id = ((u32)slot & NONE) - 1, place = (u32)(slot >> 20) & 0xFFFFFF;
        if (id >= v->ids || place > v->blob_size || n > v->blob_size - place) continue;
        if (n >= 256 && length_of(v, id) != n) continue;
        if (!memcmp(v->blob + place, p, n)) return id;
    }
    return NONE;
}

/* Whether a token may lie across the border of characters a and b; the byte at `at` is b's first.
 *
 * Why a piece may be divided where none does: a merge makes a token, so that where no token lies across a border,
 * nothing is ever merged across it; and which of the merges on one side is next does not depend on the other side. So
 * each side merges as it would alone, for ranks and for listed merges.
 *
 * A token across the border has both characters whole (whole: a set of hashes of pairs; that two may collide leaves a
 * border undivided, no more) or only a part of one (partial: last byte before the border, first byte after it, of
 * tokens that begin or end within one of the two). Between two ASCII characters nothing is divided.
 */
static inline int may_join(const Vocabulary *v, u32 a, u32 b, const u8 *at) {
    u32 pair = ((a * 0x9E3779B1u) ^ (b * 0x85EBCA6Bu)) * 0xC2B2AE35u >> v->whole_shift;
    u32 bytes = (u32)at[-1] << 8 | at[0];
    return ((v->whole[pair >> 3] >> (pair & 7)) | (v->partial[bytes >> 3] >> (bytes & 7)) | ((a | b) < 0x80)) & 1;
}

static const u8 *take(const u8 **at, size_t *left, u64 size) {
    const u8 *start = *at;
    if (size > *left) return NULL;
    *at += size;
    *left -= (size_t)size;
    return start;
}

/* Open a table in memory that stays the caller's, aligned to 8 bytes. NULL, or what is wrong with it. */
static const char *vocabulary_open(Vocabulary *v, const u8 *table, size_t size) {
    crc_prepare();
    if (size < HEADER || memcmp(table, "TOKTAB03", 8)) return "not a table of this version";
    u32 slots = load32(table + 12), flags = load32(table + 16), bits = load32(table + 56);
    v->ids = load32(table + 8);
    v->longest = load32(table + 20);
    v->made = (flags & MADE) != 0;
    if (!slots || slots & (slots - 1) || v->ids >= NONE || v->longest > 0xFFFF || bits < 3 || bits > 28)
        return "a damaged table";
    v->mask = slots - 1;
    v->whole_shift = 32 - bits;
    const u8 *at = table + HEADER;
    size_t left = size - HEADER;
    v->slots = (const u64 *)take(&at, &left, 8 * (u64)slots);
    v->offsets = (const u32 *)take(&at, &left, 4 * ((u64)v->ids + 1));
    v->splits = flags & LISTED ? (const u16 *)take(&at, &left, 2 * (u64)v->ids) : NULL;
    v->firm = take(&at, &left, (v->ids + 7) / 8);
    v->partial = take(&at, &left, PARTIAL_SIZE);
    v->whole = take(&at, &left, (u64)1 << (bits - 3));
    if (!v->slots || !v->offsets || (flags & LISTED && !v->splits) || !v->firm || !v->partial || !v->whole)
        return "a truncated table";
    v->blob = at;
    if (left > 0xFFFFFF || v->offsets[v->ids] != left) return "a truncated table";
    v->blob_size = (u32)left;
    for (u32 b = 0; b < 256; b++) {
        u8 byte = (u8)b;
        v->byte_id[b] = find(v, &byte, 1);
        if (v->byte_id[b] == NONE) return "a vocabulary without all bytes";
    }
    return NULL;
}

#endif
