/** A name as it can be shown: one that could move the cursor is written like a string. */
export const pathInWords = (path: string) =>
  /\p{Cc}|\p{Cf}/u.test(path) ? JSON.stringify(path).replace(/[\u007f-\u009f]/g, '?') : path
