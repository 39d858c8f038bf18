import { post } from '@farhand/client/post/post'
import { describe, expect, it } from 'vitest'
import { foldersOnAHub, type TwoFolders } from '../files/two-folders.ts'

const folders = foldersOnAHub()

/** What the run has ever been told of these paths. */
async function sentOf(two: TwoFolders, ...paths: string[]): Promise<string[]> {
  const log = JSON.stringify(await two.events())
  return paths.filter((path) => log.includes(JSON.stringify(path)))
}

async function begin(two: TwoFolders, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) two.laptop.write(path, text)
  for (const folder of [two.laptop, two.sandbox]) await folder.start()
  await two.heard(two.sandbox, 'applied', ({ path }) => path === '.gitignore')
  for (const folder of [two.laptop, two.sandbox]) await two.heard(folder, 'in-step')
}

/** Waits until what the laptop would have sent has been sent. */
async function aRoundTrip(two: TwoFolders): Promise<void> {
  two.laptop.write('after.txt', 'after')
  await two.heard(two.sandbox, 'applied', ({ path }) => path === 'after.txt')
}

describe('an agent that disguises the rule by which it includes what was ignored', () => {
  it.each([
    ['a byte order mark before the first line of the outranking file', '.farhandignore', '\uFEFF!sub/.env\n'],
    ['a byte order mark before the first line of a deeper file', 'sub/.gitignore', '\uFEFF!.env\n'],
    ['lines that end as on Windows', 'sub/.gitignore', '# x\r\n!.env\r\n'],
  ])('gets nothing: %s', async (_, file, text) => {
    const two = await folders()
    await begin(two, { '.gitignore': '.env\n', 'sub/.env': 'KEY=1', 'sub/a.txt': 'a' })
    two.sandbox.write(file, text)
    await two.heard(two.laptop, 'applied', ({ path }) => path === file)
    await aRoundTrip(two)
    expect(await sentOf(two, 'sub/.env')).toEqual([])
  })

  it('gets nothing that a rule file inside the ignored folder, which was never read before, includes again', async () => {
    const two = await folders()
    await begin(two, {
      '.gitignore': 'private/\n*.key\n',
      'private/.gitignore': '!mine.key\n',
      'private/mine.key': 'KEY=1',
      'private/deep/.farhandignore': '!other.key\n',
      'private/deep/other.key': 'KEY=2',
    })
    two.sandbox.write('.gitignore', '*.key\n')
    await two.heard(two.laptop, 'applied', ({ path }) => path === '.gitignore')
    await aRoundTrip(two)
    expect(await sentOf(two, 'private/mine.key', 'private/deep/other.key')).toEqual([])
  })

  it('gets nothing by declaring a small rule file as a large one, which is sent in another way', async () => {
    const two = await folders()
    await begin(two, { '.gitignore': '.env\n', 'sub/.env': 'KEY=1' })
    const params = { path: 'sub/.gitignore', action: 'created', content: '!.env\n', size: 5_000_000 }
    await post(two.hub, two.run, [{ jsonrpc: '2.0', method: '_posthog/file_sync', params }])
    await two.heard(two.laptop, 'applied', ({ path }) => path === 'sub/.gitignore')
    await aRoundTrip(two)
    expect(await sentOf(two, 'sub/.env')).toEqual([])
  })

  it('gets nothing new of a file that its user has excluded before putting a secret into it', async () => {
    const two = await folders()
    const { laptop, sandbox } = two
    await begin(two, { '.gitignore': 'x\n', '.env': 'KEY=fill me in' })
    laptop.replace('.gitignore', 'x\n.env\n')
    await two.heard(laptop, 'skipped', ({ skip }) => skip.path === '.env' && skip.why === 'ignored')
    laptop.replace('.env', 'KEY=1')
    await two.heard(sandbox, 'skipped', ({ skip }) => skip.path === '.env' && skip.why === 'ignored')
    sandbox.replace('.gitignore', 'x\n')
    const { is } = await two.until('decided', async () => {
      const note = laptop.notes.find(
        (one) =>
          (one.is === 'skipped' && one.skip.path === '.env' && one.skip.why === 'newly-included') ||
          (one.is === 'sent' && one.path === '.env' && one.deed === 'modified'),
      )
      return note ? { is: note } : { not: 'yet' }
    })
    expect(is).toBe('skipped')
    await aRoundTrip(two)
    expect(sandbox.read('.env')).toBe('KEY=fill me in')
  })
})
