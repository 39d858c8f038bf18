import { parseArgs } from 'node:util'
import { commandLine } from './command-line.mjs'
import { prepare } from './prepare.mjs'

const help = `npm run shots             takes the pictures of the web app in docs/, with a real hub and a scripted agent
npm run shots -- --help   this
`

commandLine(help, (args) => {
  const options = /** @type {const} */ ({ help: { type: 'boolean', short: 'h', default: false } })
  return parseArgs({ args, options }).values
})

await prepare()
const { register } = await import('tsx/esm/api')
register()
await import('./shots/main.ts')
