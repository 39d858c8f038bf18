import { createProject, createRun, createTask, listAllRuns } from '@farhand/client/resources/resources'
import { describe, expect, it } from 'vitest'
import { runHere } from '../../context/command-context-under-test.ts'
import { farhand, temporaryFolder } from '../../farhand-under-test.ts'

describe('farhand project and share', { timeout: 120_000 }, () => {
  it('W112 W113 invite a user, who joins by the link; list, remove and show a run by a link, which is revoked', async () => {
    const [data, state, cwd] = [await temporaryFolder(), await temporaryFolder(), await temporaryFolder()]
    const hub = farhand('hub', '--port', '0', '--data', data, '--json')
    const { url, token } = JSON.parse(await hub.line())
    const added = await farhand('user', 'add', 'ada', '--data', data, '--json').line()
    const env = (token: string) => ({ FARHAND_URL: url, FARHAND_TOKEN: token, FARHAND_STATE: state })
    const owner = (...words: string[]) => runHere(words, { env: env(token), cwd })
    const ada = (...words: string[]) => runHere(words, { env: env(JSON.parse(added).token), cwd })
    const project = await createProject({ url, token }, { name: 'Garden' })
    const task = await createTask({ url, token }, project.id, { title: 'Water it' })
    const run = await createRun({ url, token }, project.id, task.id, { sandbox: 'none' })

    const { out: link } = await owner('project', 'share', 'Garden', '--role', 'member')
    expect(link).toMatch(/^http.*\/#join=fhi_\w{40}\n$/)
    expect((await owner('project', 'invitations', 'Garden')).out).toMatch(
      /^inv_\w+ {2}member {2}for 1 {2}until /,
    )
    expect((await ada('project', 'join', link.trim())).notes).toContain('You are in Garden now, as member.')
    expect((await owner('project', 'members', 'Garden')).out).toMatch(/^owner.*owner.*you\nada +member /)
    const hers = await listAllRuns({ url, token: JSON.parse(added).token })
    expect(hers.items.map(({ id }) => id)).toEqual([run.id])
    await expect(ada('share', run.id)).rejects.toThrow('only the owner of this project')
    await expect(ada('project', 'join', link.trim().slice(0, -2))).rejects.toThrow(
      'used up, expired, revoked',
    )
    await expect(ada('project', 'join', 'https://hub.example/')).rejects.toThrow('This is no invitation.')
    await expect(owner('project', 'share', 'Garden', '--days', '0')).rejects.toThrow('from 1 to 90')

    const shown = JSON.parse((await owner('share', run.id, '--days', '2', '--json')).out)
    expect(shown).toMatchObject({
      event: 'shared',
      run: run.id,
      link: expect.stringContaining('/#shared=fhg_'),
    })
    const list = await owner('share', '--list')
    expect(list.out).toContain(shown.id)
    expect(list.out).not.toContain(shown.token)
    await owner('share', '--revoke', shown.id)
    expect((await owner('share', '--list')).out).toBe('')
    await expect(owner('share', '--revoke', shown.id)).rejects.toThrow('no such link')

    await owner('project', 'remove', 'Garden', 'ada')
    await expect(ada('project', 'members', 'Garden')).rejects.toThrow('There is no project Garden')
    hub.child.kill('SIGTERM')
    await hub.exitCode
  })
})
