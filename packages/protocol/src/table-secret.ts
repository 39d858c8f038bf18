/**
 * Mixed into the places of a table, so that nobody outside can choose names that all come to the same one. It decides
 * how long a look takes and never what is found.
 */
export const tableSecret = crypto.getRandomValues(new Int32Array(1))[0]!
