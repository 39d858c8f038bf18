/** The header in which a page sends its half of its session's token (W47). */
export const sessionKeyHeader = 'farhand-key'
