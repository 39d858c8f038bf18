import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

function run(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`tools/${script}`, ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('the commands of the clone', () => {
  it.each([
    ['test.mjs', 'npm test -- packages/hub'],
    ['check.mjs', 'npm run check -- --fix'],
    ['house.mjs', 'npm run house -- --against'],
    ['release.mjs', 'npm run release -- <version>'],
    ['bench.mjs', 'npm run bench -- --quick'],
    ['test-agents.mjs', 'npm run test:agents -- goose'],
    ['mutate.mjs', 'npm run mutate -- reconcile'],
    ['shots.mjs', 'npm run shots'],
    ['transcript.mjs', 'npm run transcript'],
  ])('%s says what it can be told', (script, example) => {
    const { status, stdout } = run(script, '--help')
    expect(status).toBe(0)
    expect(stdout).toContain(example)
  })

  it.each(['test.mjs', 'check.mjs', 'house.mjs', 'bench.mjs', 'test-agents.mjs', 'mutate.mjs', 'shots.mjs'])(
    '%s refuses a flag that it does not know',
    (script) => {
      const { status, stderr, stdout } = run(script, '--nonsense')
      expect(status).not.toBe(0)
      expect(stderr).toContain("'--nonsense'")
      expect(stdout).toBe('')
    },
  )
})

describe('npm test', () => {
  it('tells tests that -t left out from those that are marked to be skipped', { timeout: 300_000 }, () => {
    const { status, stdout } = run('test.mjs', 'tools/prepare.test.ts', '-t', 'compares versions')
    expect(stdout).toContain('skipped: 6 tests: left out by -t\n')
    expect(stdout).not.toContain('marked so')
    expect(stdout).toMatch(/1 passed, 0 failed, 9 skipped\n$/)
    expect(status).toBe(0)
  })

  it('fails when -t leaves nothing', { timeout: 300_000 }, () => {
    const { status, stdout } = run('test.mjs', 'tools/prepare.test.ts', '-t', 'no test is called so')
    expect(stdout).toContain('failed: no test has a name with "no test is called so"')
    expect(status).toBe(1)
  })
})
