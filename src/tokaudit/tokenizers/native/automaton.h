/* Pre-tokenization: the automaton that patterns.py compiles from the reference's pattern, and its classes of characters.
 *
 * A row of the file is laid out anew when it is opened, once for each way in which it is reached (with a match before
 * the symbol that led to it, and without), with a column for each ASCII character and for each class beyond it. So one
 * load leads from a symbol to the next row, and the place of the row says whether a match ended.
 */
#ifndef TOKAUDIT_AUTOMATON_H
#define TOKAUDIT_AUTOMATON_H

#include "common.h"

#define WIDTH 32u    /* columns in the file: classes of symbols */
#define COLUMNS 160u /* columns here: ASCII, the classes beyond it, and the last two */
#define SKIP 158u    /* says whether a-z lead from a row to itself, with a match before whatever follows */
#define AT_END 159u  /* the end of the text */
#define ROWS 128u
#define PAGES (0x110000u >> 6)
#define SETTLED 0x40u /* of a class: no NFC changes the character */

/* Rows: 0 dead; 1 dead, where a match ended before this symbol; then those with a match before, then those without. */
typedef struct {
    u32 matching; /* place of the last row with a match before */
    u32 start;
    const u16 *stage; /* code point / 64 to its block */
    const u8 *blocks;
    u16 rows[ROWS * COLUMNS];
} Automaton;

static inline u32 class_of(const Automaton *a, u32 code) { return a->blocks[a->stage[code >> 6] * 64u + (code & 63)]; }

/* The first byte from p on that is not a-z, eight at a time; at most end. */
static FORCE_INLINE const u8 *skip_small_letters(const u8 *p, const u8 *end) {
    const u64 high = 0x8080808080808080ull, ones = 0x0101010101010101ull;
    while (LIKELY(end - p >= 8)) {
        u64 x = load64(p);
        u64 at_least_a = (x | high) - 'a' * ones, above_z = (x & ~high) + (0x7F - 'z') * ones;
        u64 other = ~(at_least_a & ~above_z & ~x) & high;
        if (LIKELY(other)) return p + (lowest_bit(other) >> 3);
        p += 8;
    }
    return p;
}

/* The end of the match at p, or NULL; *wide has bit 7 set where it has a byte beyond ASCII. p is before end. */
static FORCE_INLINE const u8 *match(const Automaton *a, const u8 *p, const u8 *end, u32 *wide) {
    const u16 *rows = a->rows;
    const u32 matching = a->matching;
    const u8 *last = NULL;
    u32 row = a->start, seen = 0, kept = 0;
    while (LIKELY(p < end)) {
        u32 size = 1, first = *p, column = first;
        if (first >= 0x80) column = 128 + (class_of(a, code_point(p, &size)) & 31);
        row = rows[row + column];
        u32 found = row - 1 < matching;
        last = found ? p : last; /* without branches: where a piece ends cannot be foreseen */
        kept = found ? seen : kept;
        if (row <= COLUMNS) { *wide = kept; return last; }
        seen |= first;
        p += size;
        if (rows[row + SKIP]) p = skip_small_letters(p, end);
    }
    if (rows[row + AT_END] - 1u < matching) { last = p; kept = seen; }
    *wide = kept;
    return last;
}

/* The end of the piece at p; what no match takes stays together, up to the next match. */
static FORCE_INLINE const u8 *next_piece(const Automaton *a, const u8 *p, const u8 *end, u32 *wide) {
    const u8 *q = match(a, p, end, wide);
    if (LIKELY(q != NULL)) return q;
    u32 ignored, seen = *p;
    q = p + char_size(*p);
    while (q < end && !match(a, q, end, &ignored)) {
        seen |= *q;
        q += char_size(*q);
    }
    *wide = seen;
    return q;
}

/* Which rows are needed: reached[matched][state]. Refuses a cell that leads nowhere. */
static const char *mark_reached(const u16 *cells, u32 states, u8 reached[2][ROWS]) {
    reached[0][1] = 1;
    for (u32 i = 0; i < states * WIDTH; i++) {
        u32 next = cells[i] >> 1;
        if (next % WIDTH || next >= states * WIDTH) return "a damaged automaton";
        reached[cells[i] & 1][next / WIDTH] = 1;
    }
    return NULL;
}

static void fill_row(u16 *row, const u8 *columns, const u16 *cells, const u32 place[2][ROWS]) {
    for (u32 k = 0; k < COLUMNS; k++) {
        u16 cell = cells[columns[k]];
        row[k] = (u16)place[cell & 1][(cell >> 1) / WIDTH];
    }
}

/* Only where a match ends before every symbol: else the last letter that was skipped might have been the last match. */
static int keeps_small_letters(const u16 *row, u32 place, u32 matching) {
    for (u32 k = 0; k < COLUMNS; k++)
        if (k != SKIP && row[k] - 1u >= matching) return 0;
    for (u32 b = 'a'; b <= 'z'; b++)
        if (row[b] != place) return 0;
    return 1;
}

static const char *lay_out(Automaton *a, const u8 *columns, const u16 *cells, u32 states) {
    u32 place[2][ROWS] = {{0}}, state_of[ROWS] = {0}, n = 2;
    u8 reached[2][ROWS] = {{0}};
    const char *fault = mark_reached(cells, states, reached);
    if (fault) return fault;
    for (u32 k = 0; k < WIDTH; k++)
        if (cells[WIDTH + k] & 1) return "an automaton that matches nothing"; /* it would never get on */
    place[1][0] = COLUMNS;
    for (int matched = 1; matched >= 0; matched--) {
        for (u32 state = 1; state < states; state++) {
            if (!reached[matched][state]) continue;
            if (n >= ROWS) return "an automaton of too many states";
            place[matched][state] = n * COLUMNS;
            state_of[n++] = state;
        }
        if (matched) a->matching = (n - 1) * COLUMNS;
    }
    a->start = place[0][1];
    memset(a->rows, 0, 2 * COLUMNS * sizeof *a->rows);
    for (u32 r = 2; r < n; r++) {
        u16 *row = a->rows + r * COLUMNS;
        fill_row(row, columns, cells + state_of[r] * WIDTH, (const u32(*)[ROWS])place);
        row[SKIP] = (u16)keeps_small_letters(row, r * COLUMNS, a->matching);
    }
    return NULL;
}

/* Open an automaton and the table of classes, each aligned to 2 bytes. NULL, or what is wrong with them. */
static const char *automaton_open(Automaton *a, const u8 *file, size_t size, const u8 *classes, size_t classes_size) {
    if (size < COLUMNS + 4) return "a truncated automaton";
    for (u32 i = 0; i < COLUMNS; i++)
        if (file[i] >= WIDTH) return "a damaged automaton";
    u32 states = load32(file + COLUMNS);
    if (states < 2 || states > ROWS || (size - COLUMNS - 4) / (2 * WIDTH) < states) return "a truncated automaton";
    if (classes_size < 2 * PAGES + 4) return "a truncated table of classes";
    size_t blocks = classes_size - 2 * PAGES - 4;
    a->stage = (const u16 *)classes;
    a->blocks = classes + 2 * PAGES + 4;
    for (u32 i = 0; i < PAGES; i++)
        if (64 * ((size_t)a->stage[i] + 1) > blocks) return "a damaged table of classes";
    return lay_out(a, file, (const u16 *)(file + COLUMNS + 4), states);
}

#endif
