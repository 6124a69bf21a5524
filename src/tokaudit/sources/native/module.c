/* tokaudit.sources.native._records: the walk through JSON for Python, on the stable ABI of 3.11. */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "scan.h"

#define MOST_KNOWN 100

static void walk_free(Walk *w) {
    names_free(&w->names);
    free(w->shape.at);
    free(w->records.at);
    free(w->fields.at);
    free(w->places.at);
}

static int known_add(Names *known, u8 *flags, PyObject *pair) {
    const char *name;
    Py_ssize_t size;
    unsigned char flag;
    if (!PyArg_ParseTuple(pair, "s#b", &name, &size, &flag)) return 0;
    if (known->ends.n == MOST_KNOWN) { PyErr_SetString(PyExc_ValueError, "too many keys"); return 0; }
    int64_t number = names_add(known, (const u8 *)name, (size_t)size);
    if (number < 0) { PyErr_NoMemory(); return 0; }
    flags[number] = flag;
    return 1;
}

static PyObject *list_of(const Names *names, int as_text) {
    PyObject *list = PyList_New((Py_ssize_t)names->ends.n);
    size_t begin = 0;
    for (size_t k = 0; list && k < names->ends.n; k++) {
        const char *p = (const char *)names->text.at + begin;
        Py_ssize_t size = (Py_ssize_t)((size_t)names->ends.at[k] - begin);
        PyObject *one = as_text ? PyUnicode_FromStringAndSize(p, size) : PyBytes_FromStringAndSize(p, size);
        if (!one || PyList_SetItem(list, (Py_ssize_t)k, one) < 0) { Py_DECREF(list); return NULL; }
        begin += (size_t)size;
    }
    return list;
}

static PyObject *bytes_of(const Numbers *numbers) {
    return PyBytes_FromStringAndSize(numbers->n ? (const char *)numbers->at : "",
                                     (Py_ssize_t)(numbers->n * sizeof(int64_t)));
}

static PyObject *result_of(Walk *w, int64_t line) {
    PyObject *names = list_of(&w->names, w->wanted == FIELDS);
    PyObject *records = bytes_of(&w->records), *others = bytes_of(w->wanted == SHAPES ? &w->places : &w->fields);
    PyObject *result = NULL;
    if (names && records && others)
        result = Py_BuildValue("OOOnLL", records, others, names, (Py_ssize_t)(w->p - w->text),
                               (long long)(place_of(w, w->p) - w->moved), (long long)line);
    Py_XDECREF(names);
    Py_XDECREF(records);
    Py_XDECREF(others);
    return result;
}

static PyObject *scan(PyObject *module, PyObject *args) {
    PyObject *text, *keys;
    int wanted, lines;
    Py_ssize_t byte, size;
    long long place, moved, start, line;
    (void)module;
    if (!PyArg_ParseTuple(args, "UO!ipnLLLL:scan", &text, &PyTuple_Type, &keys, &wanted, &lines, &byte, &place, &moved,
                          &start, &line))
        return NULL;
    const u8 *p = (const u8 *)PyUnicode_AsUTF8AndSize(text, &size);
    if (!p) return NULL;
    if (byte < 0 || byte > size || place < 0 || place > byte || wanted < NOTHING || wanted > SHAPES)
        return PyErr_Format(PyExc_ValueError, "not a place in the text");
    Names known = {0};
    u8 flags[MOST_KNOWN];
    PyObject *result = NULL;
    Walk w = {.text = p, .end = p + size, .p = p + byte, .beyond = (size_t)(byte - place), .moved = moved,
              .lines = lines, .wanted = (enum Wanted)wanted, .known = &known, .flags = flags};
    int64_t number = line;
    Py_ssize_t k = 0;
    while (k < PyTuple_Size(keys) && known_add(&known, flags, PyTuple_GetItem(keys, k))) k++;
    if (k == PyTuple_Size(keys)) {
        if (lines) walk_lines(&w, start, &number);
        else if (!walk_document(&w)) w.p = p + byte;
        if (w.no_memory) PyErr_NoMemory();
        else result = result_of(&w, number);
    }
    walk_free(&w);
    names_free(&known);
    return result;
}

static PyMethodDef methods[] = {
    {"scan", scan, METH_VARARGS,
     "scan(text, keys, wanted, lines, byte, place, moved, start, line): records from a place on, up to the first that "
     "is not understood.\n\n"
     "Gives the records (five i64 each: start of the first segment, place, line, number of the shape, index of the "
     "first field or place), the fields (two i64 each: start, number of the key) or the places (i64), the keys (str) "
     "or shapes (bytes), and byte, place and line reached."},
    {NULL, NULL, 0, NULL},
};
static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_records", "Records of JSON.", 0, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__records(void) { return PyModuleDef_Init(&definition); }
