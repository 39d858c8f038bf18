import { existsSync, readFileSync } from 'node:fs'

// The sources lie one folder deeper than the file that is built from them.
const manifest = ['../package.json', '../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .find((file) => existsSync(file))!

/** The version of this command. */
export const version: string = JSON.parse(readFileSync(manifest, 'utf8')).version
