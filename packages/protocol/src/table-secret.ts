/**
 * Mixed into the places of a table, so that nobody outside can choose names that all come to the same one. It decides
 * how long a look takes and never what is found.
 */
export const tableSecret = Math.random() * 2 ** 32
