/* A walk through valid JSON: where records, their fields and what may be messages begin.
 *
 * It takes only what the Python reader takes (json_reader.py), and leaves the rest to it: whatever is broken, keys with
 * escapes, numbers that are none, values nested very deeply. So errors and odd cases have one reader, which is not this.
 * The text ends with a zero byte, which begins no value and ends no string.
 */
#ifndef TOKAUDIT_SCAN_H
#define TOKAUDIT_SCAN_H

#include "names.h"

#define DEEPEST 256u   /* levels of a value that is passed over */
#define INNERMOST 4    /* levels of requests that are looked into: more than chat_records.py does */
#define LONGEST 200u   /* bytes of a value that tells who speaks */
#define TELLS 1u       /* flag of a key: its text is part of the shape */
#define LEADS 2u       /* flag of a key: what is in its value is part of the shape */
#define PLACED 4u      /* flag of a key: its place is wanted */
#define FIRST_CODE 128 /* the first known key, in a shape */

enum Wanted { NOTHING, FIELDS, SHAPES };

typedef struct {
    const u8 *text, *end, *p;
    size_t beyond; /* bytes before p that go on with a character; places are code points */
    int64_t moved; /* added to places */
    int lines;     /* a line feed ends a record, and is no white space in one */
    enum Wanted wanted;
    const Names *known; const u8 *flags;
    Names names;   /* keys of fields, or shapes */
    Bytes shape;   /* of the record at p */
    Numbers records, fields, places;
    int no_memory;
} Walk;

static inline int64_t place_of(const Walk *w, const u8 *p) { return p - w->text - (int64_t)w->beyond + w->moved; }

static inline void note(Walk *w, Numbers *to, int64_t value) { w->no_memory |= !numbers_add(to, value); }

static inline void shape_add(Walk *w, u8 byte) { w->no_memory |= !bytes_add(&w->shape, &byte, 1); }

static FORCE_INLINE void pass_space(Walk *w) {
    const u8 *p = w->p;
    while (*p == ' ' || *p == '\t' || *p == '\r' || (*p == '\n' && !w->lines)) p++;
    w->p = p;
}

static inline int is_hex(u8 b) { return (u8)(b - '0') < 10 || (u8)((b | 32) - 'a') < 6; }

/* Pass what a backslash at p begins. */
static int pass_escape(Walk *w) {
    const u8 *p = w->p + 1;
    if (*p == 'u') {
        for (int k = 1; k < 5; k++)
            if (!is_hex(p[k])) return 0;
        w->p = p + 5;
        return 1;
    }
    if (!*p || !strchr("\"\\/bfnrt", *p)) return 0;
    w->p = p + 1;
    return 1;
}

/* Bytes of x that go on with a character: 10xxxxxx. */
static inline size_t continued(u64 x) {
    const u64 ones = 0x0101010101010101ull;
    return (size_t)(((x >> 7 & ~x >> 6 & ones) * ones) >> 56);
}

/* The first byte from p on that is a quote, a backslash or a control. */
static FORCE_INLINE const u8 *ordinary(Walk *w, const u8 *p) {
    const u64 high = 0x8080808080808080ull, ones = 0x0101010101010101ull;
    while (LIKELY(w->end - p >= 8)) {
        u64 x = load64(p), low = x & ~high;
        /* Set in the high bit of each byte of 7 bits that is none of the three: no sum carries into the next byte. */
        u64 quote = (low ^ '"' * ones) + 0x7F * ones, slash = (low ^ '\\' * ones) + 0x7F * ones;
        u64 other = ~(quote & slash & (low + 0x60 * ones)) & ~x & high;
        if (other) {
            u32 n = lowest_bit(other) >> 3;
            if (x & high && n) w->beyond += continued(x << (64 - 8 * n));
            return p + n;
        }
        if (x & high) w->beyond += continued(x);
        p += 8;
    }
    for (; *p >= 0x20 && *p != '"' && *p != '\\'; p++) w->beyond += (*p & 0xC0) == 0x80;
    return p;
}

/* Pass the string whose quote is at p. *escaped: there are escapes in it. */
static FORCE_INLINE int pass_string(Walk *w, int *escaped) {
    if (*w->p != '"') return 0;
    w->p++;
    *escaped = 0;
    for (;;) {
        w->p = ordinary(w, w->p);
        if (LIKELY(*w->p == '"')) { w->p++; return 1; }
        if (*w->p != '\\' || !pass_escape(w)) return 0;
        *escaped = 1;
    }
}

static inline int is_digit(u8 b) { return (u8)(b - '0') < 10; }

static int pass_number(Walk *w) {
    const u8 *p = w->p;
    p += *p == '-';
    if (!is_digit(*p)) return 0;
    if (*p == '0') p++;
    else while (is_digit(*p)) p++;
    if (*p == '.') {
        if (!is_digit(*++p)) return 0;
        while (is_digit(*p)) p++;
    }
    if ((*p | 32) == 'e') {
        p++;
        p += *p == '+' || *p == '-';
        if (!is_digit(*p)) return 0;
        while (is_digit(*p)) p++;
    }
    w->p = p;
    return 1;
}

static int pass_word(Walk *w, const char *word, size_t size) {
    if ((size_t)(w->end - w->p) < size || memcmp(w->p, word, size)) return 0;
    w->p += size;
    return 1;
}

static int pass_scalar(Walk *w) {
    int escaped;
    switch (*w->p) {
        case '"': return pass_string(w, &escaped);
        case 't': return pass_word(w, "true", 4);
        case 'f': return pass_word(w, "false", 5);
        case 'n': return pass_word(w, "null", 4);
        default: return pass_number(w);
    }
}

/* Pass a key, its colon and the white space around that. */
static FORCE_INLINE int pass_key(Walk *w, int *escaped) {
    if (!pass_string(w, escaped)) return 0;
    pass_space(w);
    if (*w->p != ':') return 0;
    w->p++;
    pass_space(w);
    return 1;
}

/* Pass the bracket at p. 1: of an empty list or object, which is passed with it; 0: something is in it. */
static FORCE_INLINE int opened_empty(Walk *w, u8 close) {
    w->p++;
    pass_space(w);
    if (*w->p != close) return 0;
    w->p++;
    return 1;
}

/* Pass what stands after a value: 1 a comma, 2 the bracket that closes, 0 neither. */
static FORCE_INLINE int pass_delimiter(Walk *w, u8 close) {
    pass_space(w);
    if (*w->p == close) { w->p++; return 2; }
    if (*w->p != ',') return 0;
    w->p++;
    pass_space(w);
    return 1;
}

/* Pass a value, whatever it is. */
static int pass_value(Walk *w) {
    u8 closers[DEEPEST];
    u32 depth = 0;
    int escaped;
    for (;;) {
        u8 first = *w->p;
        if (first == '{' || first == '[') {
            u8 close = (u8)(first + 2);
            if (!opened_empty(w, close)) {
                if (depth == DEEPEST) return 0;
                closers[depth++] = close;
                if (first == '{' && !pass_key(w, &escaped)) return 0;
                continue;
            }
        } else if (!pass_scalar(w)) return 0;
        for (int after = 2; after == 2;) {
            if (!depth) return 1;
            after = pass_delimiter(w, closers[depth - 1]);
            if (!after) return 0;
            depth -= after == 2;
        }
        if (closers[depth - 1] == '}' && !pass_key(w, &escaped)) return 0;
    }
}

/* Pass the fields of a record, and note where each begins; the first begins with the record. */
static int pass_fields(Walk *w, int64_t start) {
    int escaped, after = 1;
    if (opened_empty(w, '}')) return 1;
    while (after == 1) {
        const u8 *key = w->p + 1;
        int64_t place = place_of(w, w->p);
        if (!pass_string(w, &escaped) || escaped) return 0;
        int64_t name = names_add(&w->names, key, (size_t)(w->p - 1 - key));
        w->no_memory |= name < 0;
        note(w, &w->fields, start >= 0 ? start : place);
        note(w, &w->fields, name);
        start = -1;
        pass_space(w);
        if (*w->p != ':') return 0;
        w->p++;
        pass_space(w);
        if (!pass_value(w)) return 0;
        after = pass_delimiter(w, '}');
    }
    return after == 2;
}

static int pass_shape(Walk *w, int level);

/* Pass the value at p of a key that is known, and add it to the shape. */
static int pass_known(Walk *w, u32 flags, int level) {
    int escaped;
    u8 first = *w->p;
    shape_add(w, first);
    if (first == '"' && flags & TELLS) {
        const u8 *value = w->p + 1;
        if (!pass_string(w, &escaped) || escaped || (size_t)(w->p - value) > LONGEST) return 0;
        shape_add(w, (u8)(w->p - 1 - value));
        w->no_memory |= !bytes_add(&w->shape, value, (size_t)(w->p - 1 - value));
        return 1;
    }
    if (flags & LEADS && level < INNERMOST && (first == '{' || first == '[')) return pass_shape(w, level + 1);
    return pass_value(w);
}

/* Pass an object, with the keys that are known for its shape; note where it begins, and those of them whose places are wanted. */
static int pass_object(Walk *w, int level) {
    int escaped, after = 1;
    note(w, &w->places, place_of(w, w->p));
    if (!opened_empty(w, '}')) {
        while (after == 1) {
            const u8 *key = w->p + 1;
            int64_t place = place_of(w, w->p);
            if (!pass_string(w, &escaped) || escaped) return 0;
            int64_t code = names_find(w->known, key, (size_t)(w->p - 1 - key));
            pass_space(w);
            if (*w->p != ':') return 0;
            w->p++;
            pass_space(w);
            if (code >= 0) {
                if (w->flags[code] & PLACED) note(w, &w->places, place);
                shape_add(w, (u8)(FIRST_CODE + code));
                if (!pass_known(w, w->flags[code], level)) return 0;
            } else if (!pass_value(w)) return 0;
            after = pass_delimiter(w, '}');
        }
        if (after != 2) return 0;
    }
    shape_add(w, '}');
    return 1;
}

/* Pass a list of what may be messages; after something that is none, what follows does not matter. */
static int pass_list(Walk *w) {
    int after = 1, messages = 1;
    if (!opened_empty(w, ']')) {
        while (after == 1) {
            if (messages) {
                messages = *w->p == '{';
                shape_add(w, messages ? '{' : '.');
            }
            if (!(messages ? pass_object(w, INNERMOST) : pass_value(w))) return 0;
            after = pass_delimiter(w, ']');
        }
        if (after != 2) return 0;
    }
    shape_add(w, ']');
    return 1;
}

static int pass_shape(Walk *w, int level) { return *w->p == '[' ? pass_list(w) : pass_object(w, level); }

/* Pass the record at p, whose first segment begins at start. */
static int pass_record(Walk *w, int64_t start) {
    if (w->wanted == FIELDS && *w->p == '{') return pass_fields(w, start);
    if (w->wanted != SHAPES) return pass_value(w);
    w->shape.n = 0;
    shape_add(w, *w->p);
    if (*w->p == '{') return pass_object(w, 0);
    note(w, &w->places, place_of(w, w->p));
    return *w->p == '[' ? pass_list(w) : pass_value(w);
}

#define ROW 5 /* numbers of a record: see module.c */

/* Pass the record at p and note it. 0: it is not understood, or no memory is left; all stays as it was before it. */
static int add_record(Walk *w, int64_t start, int64_t line) {
    size_t fields = w->fields.n, places = w->places.n, beyond = w->beyond;
    const u8 *p = w->p;
    int64_t place = place_of(w, p);
    int done = pass_record(w, start);
    if (done && w->lines) {
        pass_space(w);
        done = w->p == w->end || *w->p == '\n';
    }
    if (!done || w->no_memory) {
        w->fields.n = fields;
        w->places.n = places;
        w->p = p;
        w->beyond = beyond;
        return 0;
    }
    if (w->wanted == FIELDS && w->fields.n == fields) { /* it has none, and is one segment */
        note(w, &w->fields, start);
        note(w, &w->fields, -1);
    }
    int64_t shape = w->wanted == SHAPES ? names_add(&w->names, w->shape.at, w->shape.n) : 0;
    w->no_memory |= shape < 0;
    note(w, &w->records, start);
    note(w, &w->records, place);
    note(w, &w->records, line);
    note(w, &w->records, shape);
    note(w, &w->records, (int64_t)(w->wanted == SHAPES ? places : fields / 2));
    return !w->no_memory;
}

/* Pass lines that are records or blank. p stays at the beginning of the first that is not understood. */
static void walk_lines(Walk *w, int64_t start, int64_t *line) {
    while (w->p < w->end && !w->no_memory) {
        const u8 *begin = w->p;
        int64_t place = start >= 0 ? start : place_of(w, begin);
        pass_space(w);
        if (w->p < w->end && *w->p != '\n') {
            if (!add_record(w, place, *line)) { w->p = begin; return; }
            start = -1;
        }
        w->p += w->p < w->end;
        ++*line;
    }
}

/* Pass a document: the elements of a list are records, or it is one. 1: understood to its end. */
static int walk_document(Walk *w) {
    pass_space(w);
    if (*w->p != '[' ) {
        if (!add_record(w, 0, 0)) return 0;
    } else if (!opened_empty(w, ']')) {
        int64_t start = 0;
        for (int after = 1; after != 2; start = place_of(w, w->p)) {
            if (!add_record(w, start, 0)) return 0;
            after = pass_delimiter(w, ']');
            if (!after) return 0;
        }
    }
    pass_space(w);
    return w->p == w->end;
}

#endif
