import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { asOrdinaryUser } from '@farhand/testkit/as-ordinary-user'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bombAll } from './bombs-under-test.ts'
import { BubblewrapSandboxHost } from './bubblewrap-sandbox-host.ts'
import { shellSpec } from './shell-spec-under-test.ts'

const root = mkdtempSync(path.join(tmpdir(), 'farhand-limits-'))
chmodSync(root, 0o755)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const folder = path.join(root, 'sandboxes')
mkdirSync(folder)
const host = new BubblewrapSandboxHost({ folder, secret: [] })
const unusable = await host.unusable()
// Nothing is called after tests of which none runs.
if (unusable) rmSync(root, { recursive: true })

const source = new URL('./bombs-under-test.ts', import.meta.url)
const placeIn = (name: string) => mkdtempSync(path.join(root, `${name}-`))
type Bombed = Awaited<ReturnType<typeof bombAll>>
const users = [
  { who: 'the user that runs the tests', bomb: () => bombAll(placeIn('own')) },
  ...(process.getuid?.() === 0
    ? [
        {
          who: 'an ordinary user',
          bomb: () => asOrdinaryUser<Bombed>(source, 'bombAll', placeIn('ordinary')),
        },
      ]
    : []),
]

describe.skipIf(unusable).each(users)('in a sandbox of $who', ({ bomb }) => {
  let result: Bombed
  beforeAll(async () => {
    result = await bomb()
  })

  it('a process that forks without end meets the limit while others go on, and is removed', () => {
    expect(result.most).toBeLessThanOrEqual(result.allowed)
    expect(result.said).toBe('the machine lives\n')
    expect(result.left).toBe(0)
    expect(result.groupsLeft).toEqual([])
  })

  it('a process that uses up the memory is killed, and no other', () => {
    expect(result.eaten).toMatch(/ended with [1-9]\d*\nstill here\n$/)
  })

  it('the disk is not mounted outside of the sandbox', () => {
    expect(result.mounted).toBe(false)
  })
})

describe.skipIf(unusable)('in a sandbox', () => {
  const hello = `#include <stdio.h>
#include <pthread.h>
static void *say(void *word) { puts(word); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, say, "compiled"); pthread_join(t, 0); return 0; }`
  const tools = [
    [
      'node',
      `${process.execPath} -e 'new (require("node:worker_threads").Worker)("console.log(\\"a thread\\")", { eval: true })'`,
      'a thread',
    ],
    [
      'git',
      'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m made && git log --format=%s',
      'made',
    ],
    [
      'python3',
      `/usr/bin/python3 -c 'import threading; t = threading.Thread(target=print, args=("threaded",)); t.start(); t.join()'`,
      'threaded',
    ],
    ['gcc', `cat >a.c <<'END'\n${hello}\nEND\ngcc -pthread a.c -o a && ./a`, 'compiled'],
    ['ssl', 'ls /etc/ssl/certs | grep -c . >/dev/null && id -un && hostname', 'agent\nsandbox'],
  ].filter(([name]) => name === 'node' || name === 'ssl' || existsSync(`/usr/bin/${name}`))

  it('tools work as outside of it', async () => {
    const input = tools.map(([name, words]) => `echo '## ${name}'\n${words}`).join('\n')
    const spec = shellSpec(root, () => input, { readable: [process.execPath] })
    await host.start(spec)
    const { lastWords } = await host.ended(spec.id)
    await host.remove(spec.id)
    expect(lastWords).toBe(tools.map(([name, , expected]) => `## ${name}\n${expected}\n`).join(''))
  })
})
