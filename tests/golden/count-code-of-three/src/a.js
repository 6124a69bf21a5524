// 注释
const a = "字符串";
