import { describe, expect, it } from 'vitest'
import { measuresOf } from './measures.ts'
import { comparedInWords, measuresInWords } from './measures-in-words.ts'
import type { Source } from './source.ts'

const file = (path: string, lines: readonly string[]): Source => ({ path, text: `${lines.join('\n')}\n` })
const imports = (count: number, from: string) =>
  Array.from({ length: count }, (_, at) => `import { a${at} } from '${from.replace('%', String(at))}'`)

const sources = [
  file('packages/hub/src/log/a.ts', [
    "import { b } from '../runs/b.ts'",
    '// Nobody reads it, whoever writes.',
  ]),
  file('packages/hub/src/runs/b.ts', ["import { a } from '../log/a.ts'", "const m = '_posthog/ack'", '', '']),
  file('packages/hub/src/runs/b.test.ts', [
    "import { a } from '../log/a.ts'",
    "const m = '_posthog/ack'",
    '// nobody',
  ]),
  file('packages/hub/src/wide.ts', imports(26, './many/m%.ts')),
  ...Array.from({ length: 26 }, (_, at) =>
    file(`packages/hub/src/many/m${at}.ts`, [`export const a${at} = ${at}`]),
  ),
  file('packages/kit/src/clock.ts', ["export const message = { jsonrpc: '2.0' }"]),
  file('packages/e2e/src/web/stage.ts', ['// somebody']),
  file('tools/house.test.ts', ['// not of a package']),
]

describe('the measures of the house', () => {
  it('counts what a package has, and its tests beside it', () => {
    const { hub, kit, e2e, all } = measuresOf(sources)
    expect(hub).toMatchObject({ files: 29, lines: 2 + 4 + 26 + 26, testLines: 3, folders: 4 })
    expect(hub).toMatchObject({ vagueWords: 2, methodsByHand: 1 })
    expect(hub?.fileCycles).toEqual([['packages/hub/src/log/a.ts', 'packages/hub/src/runs/b.ts']])
    expect(hub?.folderCycles).toEqual([['packages/hub/src/log', 'packages/hub/src/runs']])
    expect(hub?.largest).toEqual({ path: 'packages/hub/src/wide.ts', count: 26 })
    expect(hub?.wideModules).toEqual([{ path: 'packages/hub/src/wide.ts', count: 26 }])
    expect(hub?.crowdedFolders).toEqual([{ path: 'packages/hub/src/many', count: 26 }])
    // Each of the many, and both of the cycle: a test is no caller.
    expect(hub?.smallWithOneCaller).toBe(28)
    expect(kit).toMatchObject({ files: 1, messagesByHand: 1 })
    expect(e2e).toMatchObject({ files: 0, lines: 0, testLines: 1, vagueWords: 0 })
    expect(all).toMatchObject({ files: 30, testLines: 4 })
  })

  it('is shown with a column for each package, or before and now', () => {
    const now = measuresOf(sources)
    expect(measuresInWords(now)).toMatch(/^ +e2e +hub +kit +all\nlines +0 +58 +1 +59\n/)
    const before = measuresOf(sources.slice(0, 3))
    expect(comparedInWords(before, now)).toMatch(/^ +before +now\nlines +6 +59 +\+883 %\n/)
    expect(comparedInWords(before, now)).toMatch(/^ +26 imports {2}packages\/hub\/src\/wide\.ts$/m)
  })
})
