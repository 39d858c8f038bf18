import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { HubProcess } from '@farhand/testkit/hub-process'
import { expect, it, onTestFinished } from 'vitest'
import { matches, readExamples, readFiles } from './readme-examples.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const between = '-- next example --'

it.each(['docs/reference/http-with-curl.md', 'packages/client/README.md'])(
  'the examples of %s answer as printed, in order',
  {
    timeout: 300_000,
  },
  async (file) => {
    const page = await readFile(path.join(root, file), 'utf8')
    const examples = readExamples(page)
    expect(examples.some(({ answer }) => answer !== null)).toBe(true)
    const data = await temporaryFolder()
    const hub = await HubProcess.start({ data })
    onTestFinished(async () => {
      await hub.kill()
    })
    const script = examples.map((example) => example.script).join(`\necho '${between}'\n`)
    const output = await bash(script, { HUB: hub.url, FARHAND_DATA: data }, readFiles(page))
    const answers = output.split(`${between}\n`)
    for (const [nth, { script, answer }] of examples.entries()) {
      if (answer !== null && !matches(answer, answers[nth] ?? ''))
        expect.soft(answers[nth], script).toBe(answer)
    }
  },
)

async function bash(
  script: string,
  env: Record<string, string>,
  files: Record<string, string>,
): Promise<string> {
  // What the examples write stays out of the clone; `npx farhand` and imports find their way through the links.
  const cwd = await temporaryFolder()
  for (const name of ['node_modules', 'package.json'])
    await symlink(path.join(root, name), path.join(cwd, name))
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(cwd, name), text)
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
  // What the examples began may still write there for a moment.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
