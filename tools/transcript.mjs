import { parseArgs } from 'node:util'
import { commandLine } from './command-line.mjs'
import { prepare } from './prepare.mjs'

const help = `npm run transcript             records the picture of the terminal in docs/, with the packed command in an empty home
npm run transcript -- --help   this
`

commandLine(help, (args) => {
  const options = /** @type {const} */ ({ help: { type: 'boolean', short: 'h', default: false } })
  return parseArgs({ args, options }).values
})

await prepare()
const { register } = await import('tsx/esm/api')
register()
await import('./transcript/main.ts')
