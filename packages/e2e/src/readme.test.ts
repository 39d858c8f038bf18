import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished } from 'vitest'
import { matches, readExamples } from './readme-examples.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const between = '-- next example --'

it("the README's examples answer as printed, in order, with bash and curl", {
  timeout: 120_000,
}, async () => {
  const examples = readExamples(await readFile(path.join(root, 'README.md'), 'utf8'))
  expect(examples.length).toBeGreaterThan(8)
  const data = await temporaryFolder()
  const hub = await HubProcess.start({ data })
  onTestFinished(async () => {
    await hub.kill()
  })
  const script = examples.map((example) => example.script).join(`\necho '${between}'\n`)
  const output = await bash(script, { HUB: hub.url, FARHAND_DATA: data })
  const answers = output.split(`${between}\n`)
  for (const [nth, { script, answer }] of examples.entries()) {
    if (answer !== null && !matches(answer, answers[nth] ?? ''))
      expect.soft(answers[nth], script).toBe(answer)
  }
})

async function bash(script: string, env: Record<string, string>): Promise<string> {
  // What the examples write stays out of the clone; `npx farhand` finds its way through the link.
  const cwd = await temporaryFolder()
  await symlink(path.join(root, 'node_modules'), path.join(cwd, 'node_modules'))
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (text) => (output += text))
  child.stderr.on('data', (text) => (errors += text))
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(code, `${output}\n${errors}`).toBe(0)
  return output
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-readme-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
