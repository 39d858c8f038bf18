import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { command } from '@farhand/testkit/program-process'
import { scriptedLlm } from '@farhand/testkit/scripted-llm/scripted-llm'
import { expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

it('the printed examples that have a model do the work do as printed, but for where the model is', async () => {
  const pages = await Promise.all(
    ['README.md', 'docs/guide/agents-and-keys.md'].map((page) => readFile(path.join(root, page), 'utf8')),
  )
  const blocks = [...pages.join('\n').matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(
    ([, block = '']) => block,
  )
  const [withKey, withServer, ...others] = blocks.filter((block) => block.includes('--agent builtin'))
  expect(others).toEqual([])
  const llm = await scriptedLlm()
  const state = await temporaryFolder()
  onTestFinished(async () => {
    await llm.close()
    // It was started by the first example, and again by the second, which has other settings.
    await promisify(execFile)(process.execPath, [command, 'hub', 'stop', '--state', state])
  })
  const run = async (block: string, env: Record<string, string> = {}) => {
    const cwd = await temporaryFolder()
    for (const name of ['node_modules', 'package.json'])
      await symlink(path.join(root, name), path.join(cwd, name))
    const folder = await temporaryFolder()
    const script = block.replaceAll('/tmp/project', folder)
    const { HOME = '' } = process.env
    // The guides call `farhand`, as where it is installed.
    const PATH = [path.join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(path.delimiter)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: { PATH, HOME, FARHAND_STATE: state, ...env },
    })
    return stdout
  }

  const said = 'You said: What is in this folder?'
  expect(await run(withKey!, { ANTHROPIC_BASE_URL: llm.url })).toContain(said)
  expect(await run(withServer!.replace('http://127.0.0.1:11434', llm.url))).toContain(said)
  const asked = llm.requests.map(({ dialect, body }) => [dialect, (body as { model?: unknown }).model])
  expect(asked).toEqual([
    ['anthropic', expect.stringMatching(/^claude/)],
    ['openai-chat', 'qwen3'],
  ])
}, 300_000)

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'farhand-readme-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
