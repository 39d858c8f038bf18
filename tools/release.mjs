import process from 'node:process'
import { parseArgs } from 'node:util'
import { commandLine } from './command-line.mjs'
import { prepare, root } from './prepare.mjs'

const help = `npm run release -- <version>            sets the version, dates the changelog, and packs into release/<version>:
                                        the archives, SHA256SUMS, and the licences of everything inside
npm run release -- <version> --dry-run  only says what it would change
npm run release -- --help               this

It commits, tags and publishes nothing: it says how, once you have looked at what it made.
`
const options = /** @type {const} */ ({
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
})
const { version, isDry } = commandLine(help, (args) => {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  if (!values.help && positionals.length !== 1) throw new Error('Say which version, and only that.')
  return { help: values.help, isDry: values['dry-run'], version: positionals[0] ?? '' }
})

await prepare()
const { changesFor, release } = await import('./release/release.mjs')
try {
  const changes = changesFor(version, new Date().toISOString().slice(0, 10))
  const names = [...changes.keys()].join(' ')
  if (isDry) process.stdout.write(`Would change: ${names}\nWould make:   release/${version}\n`)
  else {
    const into = await release(version, changes)
    process.stdout.write(`${into}

Look at it, then:
  git commit -am "Release ${version}" && git tag v${version}
  npm publish ${into}/farhand-${version}.tgz
Or take it back: git -C ${root} checkout -- ${names}
`)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
