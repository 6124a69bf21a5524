/* Byte-pair merging of pieces: the pair of the lowest rank first, the leftmost of equals, until no pair is a token. */
#ifndef TOKAUDIT_MERGE_H
#define TOKAUDIT_MERGE_H

#include "vocabulary.h"

#define SHORT 160u  /* bytes up to which a list of pairs beats a heap (measured) */
#define BLOCK 8192u /* bytes of a block of a longer piece */
#define KEPT 15u    /* bytes of the longest piece that the cache keeps */
#define INLINE_IDS 3u
#define MOST_MORE (1u << 22)
#define IDEOGRAPHS 0x5200u /* U+4E00 to U+9FFF */

/* A piece's bytes, zero-padded, with its length in the last; ids, or where they are in Memory.more. */
typedef struct { u64 low, high; u32 n, id[INLINE_IDS]; } Entry;

/* What one thread remembers while it counts. */
typedef struct {
    Entry *pieces; u32 pieces_shift; /* two-way */
    u64 *pairs; u32 pairs_shift;     /* (left id, right id) to the id of both, or NONE; direct-mapped */
    u32 *firm;                       /* of ideographs: 0 not known yet, 1 not firm, else id + 2 */
    u32 *more; size_t more_n, more_size;
    u32 *ids; size_t ids_size;       /* of the last piece */
    u8 *heap; size_t heap_size;
    size_t seen; /* bytes of all texts so far */
    int large;
    int damaged; /* a run ended because the table contradicts itself */
} Memory;

static void memory_free(Memory *m) {
    if (!m) return;
    free(m->pieces); free(m->pairs); free(m->firm); free(m->more); free(m->ids); free(m->heap); free(m);
}

#define LARGE (1u << 16) /* bytes from which on large caches pay for themselves */

/* A memory for texts of some size; a short one does not pay for the caches of a long one, but many short ones do. NULL:
 * none is left. */
static Memory *memory_for(Memory *m, size_t size) {
    size_t seen = size + (m ? m->seen : 0);
    int large = seen >= LARGE;
    if (m) m->seen = seen;
    if (m && m->large >= large) return m;
    memory_free(m);
    m = calloc(1, sizeof *m);
    if (!m) return NULL;
    u32 piece_bits = large ? 15 : 9, pair_bits = large ? 17 : 11;
    m->seen = seen;
    m->large = large;
    m->pieces_shift = 64 - piece_bits;
    m->pairs_shift = 64 - pair_bits;
    m->pieces = calloc((size_t)2 << piece_bits, sizeof(Entry));
    m->pairs = calloc((size_t)1 << pair_bits, sizeof(u64));
    m->firm = calloc(IDEOGRAPHS, sizeof(u32));
    if (m->pieces && m->pairs && m->firm) return m;
    memory_free(m);
    return NULL;
}

/* Make room for n elements; what was there stays. 0: no memory is left. */
static int grow(void **array, size_t *room, size_t n, size_t element) {
    if (n <= *room) return 1;
    if (n > SIZE_MAX / element / 2 - 64) return 0;
    size_t size = *room ? n + n / 2 + 64 : n; /* exact at first, so that the sanitizers see what is too much */
    void *more = realloc(*array, size * element);
    if (!more) return 0;
    *array = more;
    *room = size;
    return 1;
}

/* The token that two neighbours make, or NONE. p: their bytes, size: of both, left_size: of the first. */
static inline u32 pair(const Vocabulary *v, Memory *m, u32 left, u32 right, const u8 *p, u32 size, u32 left_size) {
    u64 key = ((u64)left << 20 | right) + 1;
    u64 *place = &m->pairs[key * 0x9E3779B97F4A7C15ull >> m->pairs_shift];
    if (LIKELY(*place >> 20 == key)) return (u32)*place & NONE;
    u32 id = find(v, p, size);
    if (id != NONE && v->splits && v->splits[id] != left_size) id = NONE;
    *place = key << 20 | id;
    return id;
}

static inline int is_ideograph(const u8 *p) { return *p >= 0xE4 && *p <= 0xE9 && (*p > 0xE4 || p[1] >= 0xB8); }

/* The id of an ideograph that merging, among ideographs, makes whole before it joins anything; else NONE. */
static u32 firm_id(const Vocabulary *v, Memory *m, const u8 *p) {
    u32 *known = &m->firm[((p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u)) - 0x4E00];
    if (UNLIKELY(!*known)) {
        u32 id = find(v, p, 3);
        *known = id != NONE && v->firm[id >> 3] >> (id & 7) & 1 ? id + 2 : 1;
    }
    return *known == 1 ? NONE : *known - 2;
}

/* Parts of a piece that are being merged: their ids, and where they begin. */
typedef struct { u32 n; u32 id[SHORT]; u16 at[SHORT + 1]; } Parts;

static inline void add_bytes(const Vocabulary *v, Parts *parts, const u8 *p, u32 from, u32 to) {
    for (u32 i = from; i < to; i++) {
        parts->id[parts->n] = v->byte_id[p[i]];
        parts->at[parts->n++] = (u16)i;
    }
}

/* With what merging whole characters begins: table.py's firm_characters says why it may be with some ideographs. */
static void first_parts(const Vocabulary *v, Memory *m, const u8 *p, u32 size, Parts *parts) {
    int before = 1; /* an ideograph, or nothing, stands before */
    for (u32 i = 0, step; i < size; i += step) {
        step = char_size(p[i]);
        int here = is_ideograph(p + i);
        u32 firm = here && before && (i + 3 >= size || is_ideograph(p + i + 3)) ? firm_id(v, m, p + i) : NONE;
        before = here;
        if (firm == NONE) { add_bytes(v, parts, p, i, i + step); continue; }
        parts->id[parts->n] = firm;
        parts->at[parts->n++] = (u16)i;
    }
}

static inline u32 pair_at(const Vocabulary *v, Memory *m, const Parts *parts, u32 k, const u8 *p) {
    u32 start = parts->at[k];
    return pair(v, m, parts->id[k], parts->id[k + 1], p + start, parts->at[k + 2] - start, parts->at[k + 1] - start);
}

/* Merge at most SHORT bytes. whole: they are whole characters. Gives the number of ids. */
static u32 merge_short(const Vocabulary *v, Memory *m, const u8 *p, u32 size, u32 *out, int whole) {
    Parts parts;
    u32 rank[SHORT];
    parts.n = 0;
    if (whole) first_parts(v, m, p, size, &parts);
    else add_bytes(v, &parts, p, 0, size);
    parts.at[parts.n] = (u16)size;
    for (u32 i = 0; i + 1 < parts.n; i++) rank[i] = pair_at(v, m, &parts, i, p);
    for (;;) {
        u32 lowest = NONE, k = 0;
        for (u32 i = 0; i + 1 < parts.n; i++)
            if (rank[i] < lowest) { lowest = rank[i]; k = i; }
        if (lowest == NONE) break;
        parts.id[k] = lowest;
        u32 n = --parts.n;
        for (u32 i = k + 1; i < n; i++) {
            parts.id[i] = parts.id[i + 1];
            parts.at[i] = parts.at[i + 1];
            rank[i - 1] = rank[i];
        }
        parts.at[n] = (u16)size;
        if (k) rank[k - 1] = pair_at(v, m, &parts, k - 1, p);
        if (k + 1 < n) rank[k] = pair_at(v, m, &parts, k, p);
    }
    memcpy(out, parts.id, parts.n * sizeof *out);
    return parts.n;
}

static void heap_push(u64 *heap, size_t *n, u64 value) {
    size_t k = (*n)++;
    while (k && heap[(k - 1) / 2] > value) { heap[k] = heap[(k - 1) / 2]; k = (k - 1) / 2; }
    heap[k] = value;
}

static u64 heap_pop(u64 *heap, size_t *n) {
    u64 top = heap[0], value = heap[--*n];
    size_t k = 0;
    for (size_t child; (child = 2 * k + 1) < *n; k = child) {
        if (child + 1 < *n && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= value) break;
        heap[k] = heap[child];
    }
    heap[k] = value;
    return top;
}

/* A doubly linked list of parts, by their first byte, and a heap of the pairs that they make (rank, place). */
typedef struct { u64 *heap; size_t pairs; u32 *id, *rank, *end, *before; } List;

static inline void push_pair(const Vocabulary *v, Memory *m, List *l, const u8 *p, u32 at) {
    u32 middle = l->end[at], stop = l->end[middle];
    u32 rank = pair(v, m, l->id[at], l->id[middle], p + at, stop - at, middle - at);
    l->rank[at] = rank;
    if (rank != NONE) heap_push(l->heap, &l->pairs, (u64)rank << 32 | at);
}

/* Merge any number of bytes in O(n log n); entries of the heap that no longer hold are passed over. 0: no memory. */
static u32 merge_long(const Vocabulary *v, Memory *m, const u8 *p, u32 size, u32 *out) {
    size_t each = 3 * sizeof(u64) + 4 * sizeof(u32); /* at most a pair a byte, and two more a merge */
    if (!grow((void **)&m->heap, &m->heap_size, size, each)) return 0;
    List l = {(u64 *)m->heap, 0, NULL, NULL, NULL, NULL};
    l.id = (u32 *)(l.heap + 3 * (size_t)size);
    l.rank = l.id + size; l.end = l.rank + size; l.before = l.end + size;
    for (u32 i = 0; i < size; i++) {
        l.id[i] = v->byte_id[p[i]];
        l.rank[i] = NONE;
        l.end[i] = i + 1;
        l.before[i] = i - 1;
    }
    for (u32 i = 0; i + 1 < size; i++) push_pair(v, m, &l, p, i);
    while (l.pairs) {
        u64 top = heap_pop(l.heap, &l.pairs);
        u32 at = (u32)top, made = (u32)(top >> 32);
        if (!l.end[at] || l.rank[at] != made) continue;
        u32 middle = l.end[at], stop = l.end[middle];
        l.id[at] = made;
        l.end[at] = stop;
        l.end[middle] = 0;
        l.rank[at] = NONE;
        if (stop < size) { l.before[stop] = at; push_pair(v, m, &l, p, at); }
        if (at) push_pair(v, m, &l, p, l.before[at]);
    }
    u32 n = 0;
    for (u32 at = 0; at < size; at = l.end[at]) out[n++] = l.id[at];
    return n;
}

static u32 merge_part(const Vocabulary *v, Memory *m, const u8 *p, size_t size, u32 *out) {
    return size <= SHORT ? merge_short(v, m, p, (u32)size, out, 0) : merge_long(v, m, p, (u32)size, out);
}

/* A very long piece, in overlapping blocks: blocks.py has the theorem, and the same steps. 0: no memory, or a
 * damaged table. */
static size_t merge_blocks(const Vocabulary *v, Memory *m, const u8 *p, size_t size, u32 *out) {
    size_t overlap = 2 * (size_t)v->longest < 256 ? 256 : 2 * (size_t)v->longest;
    size_t block = BLOCK < 4 * overlap ? 4 * overlap : BLOCK;
    size_t at = 0, stop = size < block ? size : block, done = 0; /* out[done..] are the ids of the bytes at..stop */
    u32 n = merge_part(v, m, p, stop, out);
    while (n && stop < size) {
        size_t begin = stop;
        u32 index = n;
        while (index && stop - begin < overlap) {
            u32 length = length_of(v, out[done + --index]);
            if (length > begin - at) return m->damaged = 1, 0;
            begin -= length;
        }
        if (done + index > begin) return m->damaged = 1, 0; /* more ids than bytes: out would not hold the rest */
        if (begin - at >= block / 2) {
            u32 first = out[done + index];
            size_t end = size - begin < block ? size : begin + block;
            n = merge_part(v, m, p + begin, end - begin, out + done + index);
            if (!n) return 0;
            if (out[done + index] == first) { done += index; at = begin; stop = end; continue; }
        }
        if ((block *= 2) > 1u << 28) return 0;
        stop = size - at < block ? size : at + block;
        n = merge_part(v, m, p + at, stop - at, out + done);
    }
    return n ? done + n : 0;
}

/* Merge a piece into m->ids. looked_up: it may be a token as it stands. Gives the number of ids; 0: as above. */
static size_t merge(const Vocabulary *v, Memory *m, const u8 *p, size_t size, int looked_up) {
    if (!grow((void **)&m->ids, &m->ids_size, size + SHORT, sizeof(u32))) return 0;
    if (looked_up) {
        u32 id = find(v, p, size);
        if (id != NONE && (!v->splits || v->splits[id] || size == 1)) { m->ids[0] = id; return 1; }
    }
    if (size <= SHORT) return merge_short(v, m, p, (u32)size, m->ids, 1);
    return size <= BLOCK ? merge_long(v, m, p, (u32)size, m->ids) : merge_blocks(v, m, p, size, m->ids);
}

/* A piece, or a part of one, that waits for its turn, while its place in the cache is fetched from memory. */
typedef struct { const u8 *p; size_t size; u64 low, high; Entry *place; int looked_up; } Waiting;

static const u64 low_bytes[9] = {0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF,
                                 0xFFFFFFFFFFFFFFFF};

/* end: of the text, up to which may be read. A part of a piece is no token as it stands where merging may not make it. */
static FORCE_INLINE void look_ahead(const Vocabulary *v, const Memory *m, Waiting *w, const u8 *p, size_t size,
                                    int is_piece, const u8 *end) {
    w->p = p; w->size = size; w->looked_up = is_piece || v->made;
    if (size == 1 || size > KEPT) return;
    u64 low, high;
    if (LIKELY(end - p >= 16)) { low = load64(p); high = load64(p + 8); }
    else {
        u8 last[16] = {0};
        memcpy(last, p, size);
        low = load64(last); high = load64(last + 8);
    }
    low &= low_bytes[size < 8 ? size : 8];
    high &= low_bytes[size < 8 ? 0 : size - 8];
    high |= (u64)(size | (w->looked_up ? 0 : 0x80)) << 56;
    u64 hash = (low ^ high * 0xC2B2AE3D27D4EB4Full) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
    hash *= 0xBF58476D1CE4E5B9ull;
    w->low = low; w->high = high;
    w->place = &m->pieces[(hash >> m->pieces_shift) * 2];
    PREFETCH(w->place);
}

/* Keep the n ids of m->ids in an entry. 0: no memory. Where all is full, what was kept is forgotten. */
static int keep(Memory *m, Entry *entry, size_t n) {
    entry->n = (u32)n;
    if (n <= INLINE_IDS) { memcpy(entry->id, m->ids, n * sizeof(u32)); return 1; }
    if (m->more_n + n > MOST_MORE) {
        memset(m->pieces, 0, sizeof(Entry) * ((size_t)2 << (64 - m->pieces_shift)));
        m->more_n = 0;
        return 1;
    }
    if (!grow((void **)&m->more, &m->more_size, m->more_n + n, sizeof(u32))) {
        entry->low = entry->high = 0; /* the key of no piece: the memory outlives this call */
        return 0;
    }
    memcpy(m->more + m->more_n, m->ids, n * sizeof(u32));
    entry->id[0] = (u32)m->more_n;
    m->more_n += n;
    return 1;
}

/* The ids of a piece: their number, and where they are until the next call. 0: no memory. */
static FORCE_INLINE size_t ids_of(const Vocabulary *v, Memory *m, const Waiting *w, const u32 **ids) {
    if (w->size == 1) { *ids = &v->byte_id[*w->p]; return 1; }
    if (UNLIKELY(w->size > KEPT)) {
        size_t n = merge(v, m, w->p, w->size, w->looked_up);
        *ids = m->ids;
        return n;
    }
    Entry *entry = w->place;
    if (UNLIKELY(entry->low != w->low || entry->high != w->high)) {
        if (entry[1].low == w->low && entry[1].high == w->high) entry++;
        else {
            size_t n = merge(v, m, w->p, w->size, w->looked_up);
            if (!n) return 0;
            entry[1] = entry[0];
            entry->low = w->low; entry->high = w->high;
            *ids = m->ids;
            return keep(m, entry, n) ? n : 0;
        }
    }
    *ids = entry->n <= INLINE_IDS ? entry->id : m->more + entry->id[0];
    return entry->n;
}

#endif
