/* tokaudit.tokenizers.native._core: the core for Python, on the stable ABI of 3.11 (the first with buffers in it). */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "text.h"
#include "words.h"

#define ALONE (1 << 14) /* bytes from which on other threads may run meanwhile */
#define BUFFERS 3

typedef struct {
    PyObject_HEAD
    Engine engine;
    Py_buffer held[BUFFERS]; /* table, automaton, classes: memory of Python's */
    Memory *memory;          /* NULL while a thread has it */
} Object;

static PyObject *engine_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *given[BUFFERS];
    if (keywords && PyDict_Size(keywords)) return PyErr_Format(PyExc_TypeError, "Engine takes no keywords");
    if (!PyArg_ParseTuple(args, "OOO:Engine", &given[0], &given[1], &given[2])) return NULL;
    Object *self = (Object *)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
    if (!self) return NULL;
    Py_buffer *held = self->held;
    for (int k = 0; k < BUFFERS; k++)
        if (PyObject_GetBuffer(given[k], &held[k], PyBUF_SIMPLE) < 0) { Py_DECREF(self); return NULL; }
    const char *fault = "unaligned memory";
    if (!((uintptr_t)held[0].buf & 7 || (uintptr_t)held[1].buf & 1 || (uintptr_t)held[2].buf & 1)) {
        fault = vocabulary_open(&self->engine.vocabulary, held[0].buf, (size_t)held[0].len);
        if (!fault)
            fault = automaton_open(&self->engine.automaton, held[1].buf, (size_t)held[1].len, held[2].buf,
                                   (size_t)held[2].len);
    }
    if (!fault) return (PyObject *)self;
    PyErr_SetString(PyExc_ValueError, fault);
    Py_DECREF(self);
    return NULL;
}

static void engine_dealloc(PyObject *self) {
    Object *o = (Object *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int k = 0; k < BUFFERS; k++)
        if (o->held[k].obj) PyBuffer_Release(&o->held[k]);
    memory_free(o->memory);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* The UTF-8 of a str, which keeps it, so that several vocabularies encode it once. NULL with an exception set. */
static const u8 *utf8_of(PyObject *text, size_t *size) {
    Py_ssize_t n;
    *size = 0;
    if (!PyUnicode_Check(text)) { PyErr_SetString(PyExc_TypeError, "a text (str) is counted"); return NULL; }
    const char *p = PyUnicode_AsUTF8AndSize(text, &n);
    if (!p) return NULL;
    if ((u64)n >= 0xFFFFFFFFu) { PyErr_SetString(PyExc_OverflowError, "a text of 4 GB or more"); return NULL; }
    *size = (size_t)n;
    return (const u8 *)p;
}

/* Run over a text. 0 with an exception set where it fails: MemoryError, or BufferError for a damaged table. A second
 * thread meanwhile gets a memory of its own. */
static int run_over(Object *o, PyObject *text, Sink *s, enum Mode mode) {
    size_t size;
    const u8 *p = utf8_of(text, &size);
    if (!p) return 0;
    Memory *m = memory_for(o->memory, size);
    o->memory = NULL;
    int done = 0, damaged;
    if (m && size < ALONE) done = run(&o->engine, m, p, size, s, mode);
    else if (m) {
        Py_BEGIN_ALLOW_THREADS
        done = run(&o->engine, m, p, size, s, mode);
        Py_END_ALLOW_THREADS
    }
    damaged = m && m->damaged;
    if (damaged) m->damaged = 0;
    if (o->memory) memory_free(m);
    else o->memory = m;
    if (damaged) PyErr_SetString(PyExc_BufferError, "a damaged table");
    else if (!done) PyErr_NoMemory();
    return done;
}

static PyObject *engine_count(PyObject *self, PyObject *text) {
    Sink s = {0};
    return run_over((Object *)self, text, &s, COUNT) ? PyLong_FromSize_t(s.n) : NULL;
}

static PyObject *engine_encode(PyObject *self, PyObject *text) {
    Sink s = {0};
    PyObject *result = NULL;
    if (run_over((Object *)self, text, &s, IDS))
        result = Py_BuildValue("y#y#", s.n ? (char *)s.ids : "", (Py_ssize_t)(4 * s.n), s.n ? (char *)s.ends : "",
                               (Py_ssize_t)(4 * s.n));
    free(s.ids);
    free(s.ends);
    return result;
}

static PyObject *engine_pieces(PyObject *self, PyObject *text) {
    Sink s = {0};
    PyObject *result = NULL;
    if (run_over((Object *)self, text, &s, PIECES))
        result = PyBytes_FromStringAndSize((char *)s.ends, (Py_ssize_t)(4 * s.n));
    free(s.ends);
    return result;
}

static int ascending(const int64_t *offsets, size_t n) {
    for (size_t i = 1; i < n; i++)
        if (offsets[i] < offsets[i - 1]) return 0;
    return 1;
}

static PyObject *engine_within(PyObject *self, PyObject *args) {
    PyObject *text, *result = NULL;
    Py_buffer offsets;
    if (!PyArg_ParseTuple(args, "Oy*:within", &text, &offsets)) return NULL;
    Sink s = {.offsets = offsets.buf, .parts = (size_t)offsets.len / sizeof(int64_t)};
    if (!s.parts || (uintptr_t)offsets.buf & 7 || !ascending(s.offsets, s.parts))
        PyErr_SetString(PyExc_ValueError, "offsets are one or more ascending 64-bit numbers");
    else if (!(s.counts = calloc(s.parts, sizeof *s.counts))) PyErr_NoMemory();
    else if (run_over((Object *)self, text, &s, WITHIN))
        result = Py_BuildValue("ny#", (Py_ssize_t)s.n, (char *)s.counts, (Py_ssize_t)(s.parts * sizeof *s.counts));
    free(s.counts);
    PyBuffer_Release(&offsets);
    return result;
}

static PyObject *engine_prepare(PyObject *self, PyObject *text) {
    size_t size;
    (void)self;
    if (!utf8_of(text, &size)) return NULL;
    Py_RETURN_NONE;
}

static PyObject *engine_settled(PyObject *self, PyObject *text) {
    size_t size;
    const u8 *p = utf8_of(text, &size);
    return p ? PyBool_FromLong(is_settled(&((Object *)self)->engine.automaton, p, size)) : NULL;
}

static PyObject *engine_makes_all(PyObject *self, PyObject *unused) {
    (void)unused;
    Memory *m = memory_for(NULL, 1 << 16);
    int made = m ? makes_all(&((Object *)self)->engine.vocabulary, m) : -1;
    memory_free(m);
    return made < 0 ? PyErr_NoMemory() : PyBool_FromLong(made);
}

static PyMethodDef engine_methods[] = {
    {"count", engine_count, METH_O, "Number of tokens of a text."},
    {"encode", engine_encode, METH_O, "Ids of the tokens, and the bytes at which they end, each as u32 in bytes."},
    {"within", engine_within, METH_VARARGS,
     "Number of tokens, and of those that begin in each part, as i64 in bytes; the parts begin at the given offsets."},
    {"pieces", engine_pieces, METH_O, "The bytes at which the pieces end, as u32 in bytes."},
    {"prepare", engine_prepare, METH_O, "Make the UTF-8 of a text; UnicodeEncodeError for one with a lone surrogate."},
    {"settled", engine_settled, METH_O, "True if no NFC changes anything in a text."},
    {"makes_all", engine_makes_all, METH_NOARGS, "True if every token is what merging makes of its bytes."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot engine_slots[] = {
    {Py_tp_new, engine_new},
    {Py_tp_dealloc, engine_dealloc},
    {Py_tp_methods, engine_methods},
    {Py_tp_doc, "One vocabulary: Engine(table, automaton, classes), each in memory as the package's build lays it out."},
    {0, NULL},
};
static PyType_Spec engine_spec = {"tokaudit.tokenizers.native._core.Engine", sizeof(Object), 0, Py_TPFLAGS_DEFAULT,
                                  engine_slots};

/* Words of a text that begin with a digit, a Han character, a Latin and another letter. */
static PyObject *count_words(PyObject *module, PyObject *args) {
    PyObject *text, *result = NULL;
    Py_buffer table;
    size_t size;
    u64 counts[WORD_KINDS] = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "Oy*:words", &text, &table)) return NULL;
    const u8 *p = utf8_of(text, &size), *pages = table.buf;
    int whole = table.len >= (Py_ssize_t)WORD_PAGES;
    for (u32 k = 0; whole && k < WORD_PAGES; k++) whole = table.len >= (Py_ssize_t)(WORD_PAGES + (pages[k] + 1u) * 256);
    if (p && !whole) PyErr_SetString(PyExc_ValueError, "a damaged table of words");
    else if (p) {
        words_of(p, p + size, pages, counts);
        result = Py_BuildValue("KKKK", counts[WORD_DIGIT], counts[WORD_HAN], counts[WORD_LATIN], counts[WORD_OTHER]);
    }
    PyBuffer_Release(&table);
    return result;
}

static PyMethodDef functions[] = {
    {"words", count_words, METH_VARARGS, "Words of a text that begin with a digit, Han, a Latin and another letter."},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module) {
    PyObject *type = PyType_FromModuleAndSpec(module, &engine_spec, NULL);
    int fault = type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
    Py_XDECREF(type);
    return fault;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, execute}, {0, NULL}};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_core", "Byte-pair encoding over mapped tables.", 0, functions, module_slots, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
