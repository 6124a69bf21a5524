/* A whole text through one vocabulary: cut into pieces, these divided where no token lies across, each looked up. */
#ifndef TOKAUDIT_TEXT_H
#define TOKAUDIT_TEXT_H

#include "automaton.h"
#include "merge.h"

#define QUEUE 32u   /* pieces that are found before the first of them is looked up */
#define BORDERS 64u /* borders of characters that are looked at in one go */

typedef struct { Vocabulary vocabulary; Automaton automaton; } Engine;

/* COUNT: tokens; IDS: also their ids and ends; WITHIN: also how many begin in each part; PIECES: ends of the pieces. */
enum Mode { COUNT, IDS, WITHIN, PIECES };

typedef struct {
    size_t n;
    u32 *ids, *ends; size_t ids_size, ends_size;
    const int64_t *offsets; int64_t *counts; size_t parts, part; /* parts begin at offsets, ascending */
} Sink;

typedef struct {
    const Engine *engine; Memory *memory; Sink *sink;
    const u8 *text, *end;
    Waiting queue[QUEUE]; u32 waiting;
} Run;

/* Add the ids of a piece, and where they end. 0: no memory, or tokens that are not as long as the piece. */
static int put_ids(const Engine *e, Memory *m, Sink *s, const u32 *ids, size_t n, size_t start, size_t end) {
    if (!grow((void **)&s->ids, &s->ids_size, s->n + n, sizeof(u32))) return 0;
    if (!grow((void **)&s->ends, &s->ends_size, s->n + n, sizeof(u32))) return 0;
    u32 *to = s->ids + s->n, *ends = s->ends + s->n;
    u32 at = (u32)start, beyond = 0;
    for (size_t i = 0; i < n; i++) {
        to[i] = ids[i];
        ends[i] = at += length_of(&e->vocabulary, ids[i]);
        beyond |= at > (u32)end;
    }
    m->damaged = beyond || at != (u32)end;
    return !m->damaged;
}

/* The part in which a byte lies: the last that begins at or before it. Bytes before the first part are in none. */
static FORCE_INLINE int in_part(Sink *s, int64_t at) {
    while (s->part + 1 < s->parts && s->offsets[s->part + 1] <= at) s->part++;
    return s->offsets[s->part] <= at;
}

static FORCE_INLINE void put_counts(const Engine *e, Sink *s, const u32 *ids, size_t n, int64_t start, int64_t end) {
    int inside = in_part(s, start);
    int64_t next = !inside ? s->offsets[s->part] : s->part + 1 < s->parts ? s->offsets[s->part + 1] : INT64_MAX;
    if (LIKELY(next >= end)) { s->counts[s->part] += inside ? (int64_t)n : 0; return; }
    for (size_t i = 0; i < n; i++) {
        if (in_part(s, start)) s->counts[s->part]++;
        start += length_of(&e->vocabulary, ids[i]);
    }
}

static FORCE_INLINE int put(Run *r, const Waiting *w, enum Mode mode) {
    const u32 *ids;
    size_t n = ids_of(&r->engine->vocabulary, r->memory, w, &ids);
    if (UNLIKELY(!n)) return 0;
    size_t start = (size_t)(w->p - r->text), end = start + w->size;
    if (mode == IDS && UNLIKELY(!put_ids(r->engine, r->memory, r->sink, ids, n, start, end))) return 0;
    if (mode == WITHIN) put_counts(r->engine, r->sink, ids, n, (int64_t)start, (int64_t)end);
    r->sink->n += n;
    return 1;
}

static FORCE_INLINE int flush(Run *r, enum Mode mode) {
    for (u32 i = 0; i < r->waiting; i++)
        if (UNLIKELY(!put(r, &r->queue[i], mode))) return 0;
    r->waiting = 0;
    return 1;
}

static FORCE_INLINE int enqueue(Run *r, const u8 *from, const u8 *to, int is_piece, enum Mode mode) {
    if (r->waiting == QUEUE && UNLIKELY(!flush(r, mode))) return 0;
    look_ahead(&r->engine->vocabulary, r->memory, &r->queue[r->waiting++], from, (size_t)(to - from), is_piece, r->end);
    return 1;
}

/* A piece with characters beyond ASCII, divided where no token can lie across (may_join). */
static FORCE_INLINE int enqueue_parts(Run *r, const u8 *p, const u8 *q, enum Mode mode) {
    const Vocabulary *v = &r->engine->vocabulary;
    const u8 *start = p;
    u32 size, left = code_point(p, &size);
    for (const u8 *at = p + size; at < q;) {
        const u8 *borders[BORDERS]; /* found without branches, then taken */
        u32 n = 0;
        for (u32 k = 0; k < BORDERS && at < q; k++) {
            u32 right = code_point(at, &size);
            borders[n] = at;
            n += !may_join(v, left, right, at);
            left = right;
            at += size;
        }
        for (u32 k = 0; k < n; start = borders[k++])
            if (UNLIKELY(!enqueue(r, start, borders[k], 0, mode))) return 0;
    }
    return enqueue(r, start, q, start == p, mode);
}

static FORCE_INLINE int run_as(Run *r, enum Mode mode) {
    for (const u8 *p = r->text, *q; p < r->end; p = q) {
        u32 wide = 0;
        q = next_piece(&r->engine->automaton, p, r->end, &wide);
        if (mode == PIECES) {
            if (!grow((void **)&r->sink->ends, &r->sink->ends_size, r->sink->n + 1, sizeof(u32))) return 0;
            r->sink->ends[r->sink->n++] = (u32)(q - r->text);
        } else if (!(wide & 0x80) || q - p < 3) {
            if (UNLIKELY(!enqueue(r, p, q, 1, mode))) return 0;
        } else if (UNLIKELY(!enqueue_parts(r, p, q, mode))) return 0;
    }
    return flush(r, mode);
}

/* Encode size bytes of valid UTF-8, fewer than 4 GB. 0: no memory was left, or, as m->damaged says, the table is damaged. */
static int run(const Engine *e, Memory *m, const u8 *text, size_t size, Sink *s, enum Mode mode) {
    Run r = {.engine = e, .memory = m, .sink = s, .text = text, .end = text + size, .waiting = 0};
    switch (mode) { /* a loop for each, without tests of the mode in it */
        case COUNT: return run_as(&r, COUNT);
        case IDS: return run_as(&r, IDS);
        case WITHIN: return run_as(&r, WITHIN);
        default: return run_as(&r, PIECES);
    }
}

/* Whether every token that a look-up may give is what merging makes of its bytes. -1: no memory. */
static int makes_all(const Vocabulary *v, Memory *m) {
    for (u32 id = 0; id < v->ids; id++) {
        u32 start = v->offsets[id], size = length_of(v, id);
        if (!size || (v->splits && !v->splits[id])) continue;
        if (start > v->blob_size || size > v->blob_size - start) return 0;
        if (!grow((void **)&m->ids, &m->ids_size, (size_t)size + SHORT, sizeof(u32))) return -1;
        u32 n = merge_part(v, m, v->blob + start, size, m->ids);
        if (!n) return -1;
        if (n > 1 || m->ids[0] != id) return 0;
    }
    return 1;
}

/* Whether no NFC changes anything in a text: patterns.py's class_table marks the characters. */
static int is_settled(const Automaton *a, const u8 *p, size_t size) {
    u32 settled = SETTLED;
    for (const u8 *end = p + size; p < end;) {
        if (*p < 0x80) { p++; continue; }
        u32 bytes;
        settled &= class_of(a, code_point(p, &bytes));
        p += bytes;
    }
    return settled != 0;
}

#endif
