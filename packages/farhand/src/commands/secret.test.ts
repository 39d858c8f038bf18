import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { runHere } from '../context/command-context-under-test.ts'
import { farhand, temporaryFolder } from '../farhand-under-test.ts'

const value = 'correct-horse-battery-staple'

async function* piped(text: string) {
  yield Buffer.from(text)
}

async function allIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name))
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n')
}

describe('farhand secret', { timeout: 120_000 }, () => {
  it('W41 keeps, lists and forgets, and the value is in no answer, no log of the hub and no file of it', async () => {
    const [data, state, cwd] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
    const hub = farhand('hub', '--port', '0', '--data', data, '--log-level', 'debug', '--json')
    const { url, token } = JSON.parse(await hub.line())
    const env = { FARHAND_URL: url, FARHAND_TOKEN: token, FARHAND_STATE: state }
    const secret = (words: string[], more = {}) => runHere(['secret', ...words], { env, cwd, ...more })

    const kept = await secret(['set', 'NPM_TOKEN'], { input: () => piped(`${value}\n`) })
    expect(kept.notes).toContain(`NPM_TOKEN is kept for ${path.basename(cwd)}.`)
    const typed = await secret(
      ['set', 'GIT', '--git', 'https://git.example/acme', '--username', 'ada', '--json'],
      {
        askHidden: async () => `${value}-of-git`,
      },
    )
    expect(JSON.parse(typed.out)).toMatchObject({ event: 'kept', name: 'GIT', kind: 'git' })
    const list = await secret(['ls'])
    expect(list.out).toMatch(
      /^GIT {8}[\d-]+ {2}for git at https:\/\/git\.example\/acme\nNPM_TOKEN {2}[\d-]+ {2}variable\n$/,
    )

    await expect(secret(['set', 'X', value], { input: () => piped('y') })).resolves.toMatchObject({ code: 2 })
    await expect(secret(['set', '1X'], { input: () => piped(value) })).rejects.toThrow('cannot be the name')
    await expect(secret(['set', 'PATH'], { input: () => piped(value) })).rejects.toThrow(
      'PATH cannot be a secret',
    )
    await expect(secret(['set', 'X'], { input: () => piped('\n') })).rejects.toThrow('The value is empty')
    await expect(secret(['set', 'X'])).rejects.toThrow('There is no terminal to ask')
    await expect(secret(['ls', '--project', 'another'])).rejects.toThrow('There is no project another')
    const short = await secret(['set', 'PIN'], { input: () => piped('1234') })
    expect(short.notes).toContain('fewer than 6 characters')

    await secret(['rm', 'NPM_TOKEN'])
    await expect(secret(['rm', 'NPM_TOKEN'])).rejects.toThrow('no secret NPM_TOKEN')
    expect((await secret(['ls', '--json'])).out).not.toContain('NPM_TOKEN')

    hub.child.kill('SIGTERM')
    await hub.exitCode
    expect(hub.errors()).toContain('/api/projects/:project/secrets/:name')
    const seen = [
      hub.errors(),
      kept.notes,
      kept.out,
      typed.out,
      list.out,
      await allIn(data),
      await allIn(state),
    ]
    expect(seen.join('\n')).not.toContain(value)
    const other = farhand('hub', '--port', '0', '--data', data, '--secrets-key', value.repeat(2))
    expect(await other.exitCode).toBe(2)
  })
})
