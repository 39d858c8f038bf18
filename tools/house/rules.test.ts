import { describe, expect, it } from 'vitest'
import { fileComplaints } from './file-rules.ts'
import { importComplaints } from './import-rules.ts'
import type { House } from './table.ts'

// A house small enough to break in one line.
const house: House = {
  packages: {
    words: { holds: '', runsIn: 'anywhere', uses: [], libraries: ['zod'] },
    hub: { holds: '', runsIn: 'Node', uses: ['words'], libraries: ['pino'] },
    testkit: { holds: '', runsIn: 'Node', uses: ['words', 'hub'], libraries: [] },
  },
  inTests: { packages: ['testkit'], libraries: ['vitest'] },
  rooms: { http: ['log'], log: [] },
  seenByRooms: ['packages/hub/src/config.ts'],
  pure: ['packages/hub/src/log/decide.ts', 'packages/hub/src/log/also-pure.ts', 'packages/hub/src/thought/'],
  pureNames: { 'node:net': ['BlockList', 'isIP'] },
  startsGit: ['packages/hub/src/git.ts'],
  mostLines: 400,
  wordsNotUsed: ['helpers', 'manager'],
}

const imports = (path: string, text: string) => importComplaints({ path: `packages/${path}`, text }, house)
const file = (path: string, text = '') => fileComplaints({ path: `packages/${path}`, text }, house)

describe('an import is refused', () => {
  it.each([
    ['of a package below', 'words/src/a.ts', `import { x } from '@farhand/hub/hub'`, 'no other package'],
    [
      'of a package below, types too',
      'words/src/a.ts',
      `import type { X } from '@farhand/hub/hub'`,
      'no other package',
    ],
    [
      'of a package below, by re-export',
      'words/src/a.ts',
      `export { x } from '@farhand/hub/hub'`,
      'no other package',
    ],
    [
      'of a package below, later on',
      'words/src/a.ts',
      `const x = await import('@farhand/hub/hub')`,
      'no other package',
    ],
    ['over several lines', 'words/src/a.ts', `import {\n  x,\n} from '@farhand/hub/hub'`, 'no other package'],
    ['of the own package by name', 'hub/src/a.ts', `import { x } from '@farhand/hub/b'`, 'by relative path'],
    [
      'of another package by path',
      'hub/src/a.ts',
      `import { x } from '../../words/src/b.ts'`,
      '@farhand/<package>',
    ],
    [
      'of a library not in the table',
      'hub/src/a.ts',
      `import lodash from 'lodash/fp'`,
      'add it to the table',
    ],
    ['of a test library outside tests', 'hub/src/a.ts', `import { it } from 'vitest'`, 'add it to the table'],
    [
      'of the testkit outside tests',
      'hub/src/a.ts',
      `import { x } from '@farhand/testkit/x'`,
      'lets hub use words',
    ],
    ['of node: where browsers run', 'words/src/a.ts', `import fs from 'node:fs'`, 'runs in browsers'],
    ['of a builtin without node:', 'hub/src/a.ts', `import fs from 'fs'`, 'Write node:fs'],
    ['of a main.ts', 'testkit/src/a.ts', `import '@farhand/hub/main'`, 'never imported'],
    ['of a test', 'hub/src/a.ts', `import { suite } from './log.contract.ts'`, 'Tests are not imported'],
    ['without its ending', 'hub/src/a.ts', `import { x } from './b'`, 'with its .ts'],
    [
      'upwards between rooms',
      'hub/src/log/a.ts',
      `import { x } from '../http/b.ts'`,
      'lets log use no other room',
    ],
    [
      'from a room not in the table',
      'hub/src/attic/a.ts',
      `import { x } from '../log/b.ts'`,
      'give it a row',
    ],
    [
      'from a room of what puts rooms together',
      'hub/src/log/a.ts',
      `import { x } from '../hub.ts'`,
      'as a parameter',
    ],
    ['in a package not in the table', 'shed/src/a.ts', `import { x } from './b.ts'`, 'give it a row'],
    ['of node: in a pure file', 'hub/src/log/decide.ts', `import fs from 'node:fs'`, 'listed as pure'],
    [
      'of more of Node than what only computes',
      'hub/src/log/decide.ts',
      `import { BlockList, connect } from 'node:net'`,
      'listed as pure',
    ],
    [
      'of an impure file in a pure one',
      'hub/src/log/decide.ts',
      `import { x } from './disk.ts'`,
      'listed as pure',
    ],
  ])('%s', (_, path, text, remedy) => {
    expect(imports(path, text)).toEqual([expect.stringContaining(remedy)])
  })

  it('with the line it stands on', () => {
    expect(imports('hub/src/a.ts', `\nimport fs from 'fs'`)[0]).toMatch(
      /^packages\/hub\/src\/a\.ts:2 imports fs\. /,
    )
  })
})

describe('an import is allowed', () => {
  it.each([
    ['up the table', 'hub/src/a.ts', `import { x } from '@farhand/words/x'`],
    ['of a listed library', 'hub/src/a.ts', `import pino from 'pino'`],
    ['of node: in a Node package', 'hub/src/a.ts', `import fs from 'node:fs'`],
    ['down between rooms', 'hub/src/http/a.ts', `import { x } from '../log/b.ts'`],
    ['of a file every room may see', 'hub/src/log/a.ts', `import type { X } from '../config.ts'`],
    ['of any room where the rooms are put together', 'hub/src/hub.ts', `import { x } from './log/b.ts'`],
    [
      'of testkit, vitest and node: in a test',
      'words/src/a.test.ts',
      `import 'vitest'\nimport '@farhand/testkit/x'\nimport 'node:fs'`,
    ],
    ['of types into a pure file', 'hub/src/log/decide.ts', `import type { X } from './disk.ts'`],
    ['of what only computes', 'hub/src/log/decide.ts', `import { BlockList, isIP } from 'node:net'`],
    ['of one pure file by another', 'hub/src/log/decide.ts', `import { x } from './also-pure.ts'`],
    [
      'when it only stands in a comment',
      'words/src/a.ts',
      ` * import fs from 'node:fs'\n// import('node:fs')`,
    ],
    ['when it only stands in a string', 'words/src/a.ts', `export const text = "import a thing from 'y'"`],
  ])('%s', (_, path, text) => {
    expect(imports(path, text)).toEqual([])
  })
})

describe('a file is refused', () => {
  it.each([
    ['for its length', 'hub/src/a.ts', 'x\n'.repeat(401), 'has 401 lines'],
    ['for a name that says nothing', 'hub/src/run-manager.ts', '', '"manager" says nothing'],
    ['for a name that is not kebab-case', 'hub/src/eventLog.ts', '', 'kebab-case'],
    ['for being a barrel', 'hub/src/index.ts', '', 'only client has one'],
    ['for passing on a whole file', 'hub/src/a.ts', `export * from './b.ts'`, 'only client has one'],
    [
      'for a hook that one file of several gets',
      'web/src/a-under-test.ts',
      'afterAll(end)',
      'have each call',
    ],
    ['for making markup of a text', 'web/src/a.tsx', 'box.innerHTML = said', 'make elements of it'],
    ['for reading the environment', 'hub/src/a.ts', 'const port = process.env.PORT', 'only a main.ts does'],
    [
      'for waiting only a second',
      'hub/src/a.test.ts',
      `await ${'vi'}.waitFor(() => ok(1, 2))`,
      'for how long',
    ],
    [
      'for polling only a second',
      'hub/src/a.test.ts',
      `await ${'expect'}\n  .poll(\n    () => said(')', 1),\n  )\n  .toBe(1)`,
      'for how long',
    ],
    [
      'for a writer without an end',
      'hub/src/a.test.ts',
      `const one = new ${'Producer'}(hub, at, {\n  id: 'runner',\n})`,
      'ends it with its test',
    ],
    [
      'for work in memory that all share',
      'hub/src/a.test.ts',
      `const a = ${'mkdtempSync'}(path.join('/dev/${'shm'}', 'a-'))`,
      'take tmpdir()',
    ],
    ['for starting git', 'hub/src/a.ts', `spawn('git', ['status'])`, 'starts git by itself'],
    ['for starting git, promised', 'hub/src/a.ts', `promisify(execFile)('git', [])`, 'starts git by itself'],
    ['for starting git in a shell', 'hub/src/a.ts', 'execSync(`git log`)', 'starts git by itself'],
    [
      'for reading it another way',
      'hub/src/a.ts',
      `import { env } from 'node:process'`,
      'only a main.ts does',
    ],
    [
      'for rolling dice in a pure folder',
      'hub/src/thought/a.ts',
      'const die = Math.random()',
      'listed as pure',
    ],
    [
      'for looking at the clock, if pure',
      'hub/src/log/decide.ts',
      'const now = Date.now()',
      'listed as pure',
    ],
  ])('%s', (_, path, text, remedy) => {
    expect(file(path, text)).toEqual([expect.stringContaining(remedy)])
  })
})

describe('a file is allowed', () => {
  it.each([
    ['at the last line', 'hub/src/a.ts', 'x\n'.repeat(400)],
    ['to read the environment in a main.ts', 'hub/src/main.ts', 'process.env.PORT'],
    ['to start git where that is decided', 'hub/src/git.ts', `spawn('git', [])`],
    [
      'to wait as long as it says',
      'hub/src/a.test.ts',
      `${'vi'}.waitFor(() => ok([1, ')']), { timeout: 60_000 })`,
    ],
    [
      'to write until it is told',
      'hub/src/a.test.ts',
      `new ${'Producer'}(hub, at, { id, signal: over.signal })`,
    ],
    ['to start git in a test', 'hub/src/a.test.ts', `execFileSync('git', [])`],
    ['to speak of the environment in a comment', 'hub/src/a.ts', '// process.env is read in main.ts'],
    ['to be the one barrel', 'client/src/index.ts', `export * from './b.ts'`],
  ])('%s', (_, path, text) => {
    expect(file(path, text)).toEqual([])
  })
})
