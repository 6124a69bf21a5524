package b

/* note */
var s = `raw`
