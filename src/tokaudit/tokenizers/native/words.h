/* Words of a text after UAX #29, in one pass; the classes are those of words.bin (tokenizers/words.py names them). */
#ifndef TOKAUDIT_WORDS_H
#define TOKAUDIT_WORDS_H

#include "common.h"

#define WORD_PAGES 0x1100u /* blocks of 256 code points; the table begins with the number of each */

enum { WORD_DIGIT, WORD_HAN, WORD_LATIN, WORD_OTHER, WORD_KINDS };

static FORCE_INLINE int is_letter(u8 c) { return c == 'L' || c == 'l' || c == 'B'; }

/* Whether a character goes on with the word that `last` is the last of, with `mid` between them, or nothing (0). */
static FORCE_INLINE int goes_on(u8 last, u8 mid, u8 c) {
    int letters = is_letter(last) && is_letter(c), digits = last == 'D' && c == 'D';
    switch (mid) {
    case 'M': return letters || digits;
    case 'C': return letters;
    case 'N': return digits;
    case 'Q': return last == 'B' && c == 'B';
    default:
        if (last == ' ') return 0;
        return last == 'E' || c == 'E' || (last == 'K') == (c == 'K');
    }
}

/* Count the words of valid UTF-8 by what they begin with. The table has all of its blocks. */
static void words_of(const u8 *p, const u8 *end, const u8 *table, u64 counts[WORD_KINDS]) {
    static const u8 kinds[256] = {['D'] = WORD_DIGIT, ['L'] = WORD_LATIN, ['l'] = WORD_OTHER, ['B'] = WORD_OTHER,
                                  ['K'] = WORD_OTHER};
    const u8 *blocks = table + WORD_PAGES;
    u8 last = ' ', mid = 0;
    int counted = 0; /* whether the word has a letter or digit yet */
    while (p < end) {
        u32 size, code = code_point(p, &size);
        u8 c = blocks[(u32)table[code >> 8] << 8 | (code & 255)];
        p += size;
        switch (c) {
        case 'X': break;
        case 'M': case 'C': case 'N': case 'Q':
            if (mid) last = ' ';
            mid = last == ' ' ? 0 : c;
            break;
        case 'L': case 'l': case 'B': case 'D': case 'K': case 'E':
            if (!goes_on(last, mid, c)) counted = 0;
            if (!counted && c != 'E') { counted = 1; counts[kinds[c]]++; }
            last = c;
            mid = 0;
            break;
        default:
            if (c == 'H') counts[WORD_HAN]++;
            else if (c == 'h') counts[WORD_OTHER]++;
            last = ' ';
            mid = 0;
        }
    }
}

#endif
