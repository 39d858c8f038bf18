// As programs name what they write before they rename it: `main.ts.tmp.12345.1699999999`, `main.ts.tmp-12345`, `main.ts.12345.tmp`.
const temporary = /.\.(?:tmp[.-]\d+(?:[.-][0-9a-f]+)*|\d+\.tmp)$/i

/** Whether this is the name of a file that is about to be renamed. One that stays is a file like any other. */
export const isTemporary = (path: string): boolean => temporary.test(path)
