import type { Hub } from '@farhand/client/requests/hub'
import { listRunLinks, revokeRunLink, shareRun } from '@farhand/client/resources/sharing'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { urlForOthers } from '@farhand/protocol/schemas/sessions'
import type { RunLink } from '@farhand/protocol/schemas/sharing'
import type { CommandContext } from '../../context/command-context.ts'
import { shownText } from '../../terminal/printing/shown-text.ts'
import type { ReachFlags } from '../find-run/reach-run.ts'
import { withRun } from '../with-run.ts'
import { numberIn } from './number-in.ts'
import { withHub } from './with-hub.ts'

type Flags = ReachFlags & Readonly<Partial<Record<'days' | 'list' | 'revoke', unknown>>>

/** `farhand share`: makes a link that shows a run, lists such links, or revokes one. */
export async function shareCommand(
  named: string | undefined,
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const options = { signal: context.stop, patienceMs }
  if (flags.revoke !== undefined) {
    const id = String(flags.revoke)
    return await withHub(flags, context, async (hub) => {
      await revokeRunLink(hub, encodeURIComponent(id), options)
      if (flags.json) return context.out(`${JSON.stringify({ event: 'revoked', id })}\n`)
      context.note('The link is revoked: it shows nothing any more.\n')
    })
  }
  if (flags.list) {
    if (named === undefined) return await withHub(flags, context, (hub) => list(hub, undefined))
    return await withRun(named, flags, context, ({ hub, at }) => list(hub, at.run))
  }
  const days = numberIn('--days', flags.days, 90)
  await withRun(named, flags, context, async ({ hub, at }) => {
    const made = await shareRun(hub, at, days === undefined ? {} : { days }, options)
    if (flags.json) return context.out(`${JSON.stringify({ event: 'shared', ...made })}\n`)
    context.note(
      `Until ${made.expiresAt.slice(0, 10)}, anyone who has this link sees ${runInWords(at.run)}:\n`,
    )
    context.out(`${made.link}\n`)
    if (urlForOthers([made.link]) === null)
      context.note(
        'Only this machine reaches that address: the hub listens here alone, or has no public URL.\n',
      )
    context.note(`It is not shown again. To end it: ${context.called.farhand} share --revoke ${made.id}\n`)
  })

  async function list(hub: Hub, run: RunLink['run'] | undefined): Promise<void> {
    const links = await listRunLinks(hub, run, options)
    if (flags.json) return context.out(links.map((link) => `${JSON.stringify(link)}\n`).join(''))
    if (links.length === 0) return context.note('No link shows a run of yours.\n')
    for (const { id, run: shown, title, expiresAt, lastUsedAt } of links) {
      const used = lastUsedAt === null ? 'not opened' : 'opened    '
      context.out(
        `${id}  until ${expiresAt.slice(0, 10)}  ${used}  ${runInWords(shown)}  ${shownText(title)}\n`,
      )
    }
  }
}
