/** A number of things as people read it: `1 file`, `1,200 files`. */
export const count = (n: number, what: string) => `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`
