import process from 'node:process'
import { parseArgs } from 'node:util'
import { commandLine } from './command-line.mjs'
import { prepare, root } from './prepare.mjs'
import { withProgress } from './processes/progress.mjs'

const help = `npm run pack                   makes farhand-<version>.tgz and farhand-client-<version>.tgz in this folder
npm run pack -- --out <folder>  puts them there
npm run pack -- --help          this

Install the command from it: npm install --global ./farhand-<version>.tgz
`
const options = /** @type {const} */ ({
  out: { type: 'string', default: root },
  help: { type: 'boolean', short: 'h', default: false },
})
const { out } = commandLine(help, (args) => parseArgs({ args, options }).values)

await prepare()
const { stageFarhand } = await import('./pack/stage-farhand.mjs')
const { stageClient } = await import('./pack/stage-client.mjs')
const { packFolder } = await import('./pack/pack-folder.mjs')

const megabytes = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1)} MB`
const packages = /** @type {const} */ ([
  ['the command', stageFarhand],
  ['the client for other programs', stageClient],
])
for (const [what, stage] of packages) {
  const { file, bytes, unpackedBytes } = await withProgress(`Packing ${what}`, () => packFolder(stage, out))
  process.stdout.write(`${file}  ${megabytes(bytes)}, ${megabytes(unpackedBytes)} unpacked\n`)
}
