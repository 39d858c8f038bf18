import { readFileSync } from 'node:fs'

/** Which Farhand this is. */
export const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  .version as string
