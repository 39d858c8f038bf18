import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { temporaryFolder } from '../../farhand-under-test.ts'
import { RunUnderTest } from '../run/run-under-test.ts'

it('an agent in a sandbox finds what its user brings, and can run what could be run', {
  timeout: 180_000,
}, async () => {
  const home = await temporaryFolder()
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), text)
  }
  write('.agents/AGENTS.md', 'Use tabs.')
  write('.claude/skills/greet/go.sh', '#!/bin/sh\necho greeted\n')
  chmodSync(path.join(home, '.claude/skills/greet/go.sh'), 0o755)
  const run = await RunUnderTest.begin()
  await runHere(['bring', 'add', 'AGENTS.md', 'greet', '--state', run.state], { home, cwd: home })

  const look = 'run `cat ~/.agents/AGENTS.md; ~/.agents/skills/greet/go.sh; ls -A ~`'
  const had = await run.run(look, '--sandbox', 'auto', '--json').all()
  expect(had.lines.find((line) => line.startsWith('{"event":"brought"'))).toContain('"servers":[],"left":[]')
  expect(had.lines.join('\n')).toMatch(/Use tabs\.greeted/)

  expect(had.code).toBe(0)
})
