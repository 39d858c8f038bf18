import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { scriptedLlm } from '../../packages/testkit/src/scripted-llm/scripted-llm.ts'
import { cleanPlace, installPacked } from './install-packed.ts'
import { packFolder } from './pack-folder.mjs'
import { stageClient } from './stage-client.mjs'
import { stageFarhand } from './stage-farhand.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
const mostMegabytes = 60

const place = await mkdtemp(path.join(tmpdir(), 'farhand-packed-'))
const somewhere = cleanPlace(place)
const { prefix, command, env } = somewhere
const work = path.join(place, 'work')

let hub: { url: string; token: string } | null = null
let stopHub = async () => {}
let notInstalled: string | null = null

beforeAll(async () => {
  await mkdir(work)
  const [{ file }, client] = await Promise.all([
    packFolder(stageFarhand, place),
    packFolder(stageClient, place),
  ])
  const installs = installPacked(file, somewhere)
  const own = path.join(work, 'node_modules', '@farhand', 'client')
  await mkdir(own, { recursive: true })
  await run('tar', ['-xzf', client.file, '--strip-components=1', '-C', own])
  notInstalled = await installs
  if (notInstalled === null) await startHub()
}, 400_000)

afterAll(async () => {
  await stopHub()
  await rm(place, { recursive: true, force: true, maxRetries: 5 })
})

/** One that a signal has ended has no exit code, and tells of its end no more. */
const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

async function startHub(): Promise<void> {
  const args = ['hub', '--json', '--port', '0', '--data', path.join(place, 'data'), '--log-level', 'warn']
  const child = spawn(command, args, { env, cwd: work, stdio: ['ignore', 'pipe', 'inherit'] })
  stopHub = async () => {
    child.kill('SIGTERM')
    if (isRunning(child)) await once(child, 'exit')
  }
  for await (const line of createInterface({ input: child.stdout })) {
    hub = JSON.parse(line)
    return
  }
}

const skipUnlessInstalled = ({ skip }: TestContext) => {
  if (notInstalled !== null) skip(notInstalled)
}

/** An example of the client, run from a folder that has nothing but the package. */
const example = async (name: string, ...args: string[]) => {
  const file = path.join(work, 'node_modules/@farhand/client/examples', name)
  const own = { ...env, HUB: hub?.url, TOKEN: hub?.token }
  return await run(process.execPath, [file, ...args], { env: own, cwd: work, timeout: 120_000 })
}

describe('the package that people install', () => {
  it('needs no compiler, runs no script, brings no sources and takes less than 60 MB', async (test) => {
    skipUnlessInstalled(test)
    const installed = path.join(prefix, 'lib', 'node_modules', 'farhand')
    const manifest = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'))
    expect(manifest).not.toHaveProperty('scripts')
    expect(manifest).not.toHaveProperty('dependencies')
    for (const version of Object.values(manifest.optionalDependencies))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    const files = (await readdir(prefix, { recursive: true })).map((name) => path.join(prefix, name))
    expect(files.filter((name) => /\.ts$|\.test\.|binding\.gyp$/.test(name))).toEqual([])
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
    expect(sizes.reduce((sum, size) => sum + size, 0) / 1e6).toBeLessThan(mostMegabytes)
  })

  it('says its version, and finds everything that it looks at well enough', async (test) => {
    skipUnlessInstalled(test)
    const { version } = JSON.parse(await readFile(path.join(root, 'packages/farhand/package.json'), 'utf8'))
    expect((await run(command, ['--version'], { env, cwd: work })).stdout).toBe(`${version}\n`)
    const { stdout } = await run(command, ['doctor', '--json'], { env, cwd: work })
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).is),
    ).not.toContain('broken')
  })

  it('brings the web app along, small enough for a phone', async (test) => {
    skipUnlessInstalled(test)
    const page = await (await fetch(`${hub?.url}/`)).text()
    const [, script] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
    const answer = await fetch(`${hub?.url}${script}`, { headers: { 'Accept-Encoding': 'br' } })
    expect(answer.headers.get('content-encoding')).toBe('br')
    expect(await answer.text()).not.toContain('React DevTools')
    const licences = await readFile(path.join(prefix, 'lib/node_modules/farhand/THIRD-PARTY.txt'), 'utf8')
    for (const name of ['react-dom', 'marked', 'uqr'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'))
  })

  it('answers a Tab from a small file of its own, with the same words as the command itself', async (test) => {
    skipUnlessInstalled(test)
    const ask = async (...words: string[]) =>
      (await run(command, ['complete', ...words], { env, cwd: work })).stdout
    for (const typed of [['com'], ['run', '--agent', ''], ['link', '--wins', '']]) {
      const told = await ask('--', ...typed)
      expect(told).not.toBe('')
      expect(told).toBe(await ask('--state', path.join(place, 'no-state'), '--', ...typed))
    }
    const quick = path.join(prefix, 'lib/node_modules/farhand/dist/complete.cjs')
    expect((await stat(quick)).size / 1e6).toBeLessThan(0.6)
  })

  it('has an agent work in a sandbox, for a program that knows only the client', {
    timeout: 300_000,
  }, async (test) => {
    skipUnlessInstalled(test)
    const prompt = 'write hello.txt with "Saluton". ask permission to run `cat hello.txt`'
    const { stderr } = await example('start-a-run.mjs', prompt)
    const id = /run (run_\w+)/.exec(stderr)?.[1] ?? ''
    const followed = (await example('follow-a-run.mjs', id)).stdout
    expect(followed).toContain(`> ${prompt}`)
    expect(followed).toMatch(/\(end_turn, event \d+\)/)
    expect(stderr).toContain('hello.txt')
    await run(
      command,
      ['history', 'hello.txt', '--run', id, '--hub', `${hub?.url}`, '--token', `${hub?.token}`, '--json'],
      {
        env,
        cwd: work,
      },
    ).then(({ stdout }) => expect(JSON.parse(stdout)).toMatchObject({ path: 'hello.txt', state: 'current' }))
  })

  it('has a model do the work with nothing more to install', { timeout: 300_000 }, async (test) => {
    skipUnlessInstalled(test)
    const llm = await scriptedLlm()
    try {
      const folder = path.join(place, 'modelled')
      await mkdir(folder)
      const words = ['run', 'Say it.', '--agent', 'builtin', '--here', '--folder', folder]
      const { stdout } = await run(command, [...words, '--hub', `${hub?.url}`, '--token', `${hub?.token}`], {
        env: { ...env, ANTHROPIC_API_KEY: 'sk-none', ANTHROPIC_BASE_URL: llm.url },
        cwd: work,
      })
      expect(stdout).toContain('You said: Say it.')
    } finally {
      await llm.close()
    }
  })

  it('keeps a folder in step with a run, and takes a file that a program puts there', {
    timeout: 300_000,
  }, async (test) => {
    skipUnlessInstalled(test)
    const folder = path.join(place, 'linked')
    await mkdir(folder)
    await writeFile(path.join(folder, 'here.txt'), 'from here')
    const words = [
      'link',
      folder,
      '--run',
      'new',
      '--json',
      '--hub',
      `${hub?.url}`,
      '--token',
      `${hub?.token}`,
    ]
    const child = spawn(command, words, { env, cwd: work, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      let run = ''
      for await (const line of createInterface({ input: child.stdout })) {
        const said = JSON.parse(line)
        if (said.event === 'ready') {
          run = said.run
          await writeFile(path.join(work, 'there.txt'), 'from a program')
          const { stdout } = await example('upload-a-file.mjs', run, path.join(work, 'there.txt'))
          expect(stdout).toMatch(/^there\.txt is in the run as of event \d+\n$/)
        }
        if (said.event === 'applied') break
      }
      expect(await readFile(path.join(folder, 'there.txt'), 'utf8')).toBe('from a program')
    } finally {
      child.kill('SIGTERM')
      if (isRunning(child)) await once(child, 'exit')
    }
  })
})

describe('the client for other programs', () => {
  it('has types that hold in a program of its own', async () => {
    for (const name of ['zod', 'eventsource-parser'])
      if (!existsSync(path.join(work, 'node_modules', name)))
        await symlink(path.join(root, 'node_modules', name), path.join(work, 'node_modules', name))
    await writeFile(
      path.join(work, 'program.ts'),
      `import { createRun, follow, type Hub } from '@farhand/client'
       const hub: Hub = { url: 'http://127.0.0.1:7717', token: '' }
       const { project, task, id } = await createRun(hub, 'prj_1' as never, 'tsk_1' as never, { agent: 'builtin' })
       for await (const { id: event, notification } of follow(hub, { project, task, run: id })) {
         const [number, method]: [number, string] = [event, notification.method]
         console.log(number, method)
       }
       // @ts-expect-error an address is a text
       export const wrong: Hub = { url: 1, token: '' }`,
    )
    const options = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      types: [],
      lib: ['es2023', 'dom'],
    }
    const config = { compilerOptions: options, files: ['program.ts'] }
    await writeFile(path.join(work, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(path.join(work, 'package.json'), '{ "type": "module" }')
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', work]).catch((error) => error)
    expect(stdout).toBe('')
  })

  it('is one module that loads nothing else, so that a browser can take it as it is', async () => {
    const text = await readFile(path.join(work, 'node_modules/@farhand/client/dist/index.js'), 'utf8')
    expect(text.match(/^import .*|\brequire\(|\bfrom ["']node:/gm) ?? []).toEqual([])
  })
})
