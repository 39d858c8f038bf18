import type { Hub } from '@farhand/client/requests/hub'
import { changeMember, listMembers, removeMember } from '@farhand/client/resources/sharing'
import type { ProjectMember } from '@farhand/protocol/schemas/sharing'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { useCallback } from 'react'
import css from '../account/account.module.css'
import { AskedList } from '../account/asked-list.tsx'
import { useList } from '../account/use-list.ts'
import { go } from '../navigation/location.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toasts.ts'
import own from './sharing.module.css'

type Props = { hub: Hub; project: ProjectId; isOwner: boolean; onLeft: () => void }

/** The users of a project; its owner changes their roles and removes them, others can leave. */
export function MembersPart({ hub, project, isOwner, onLeft }: Props) {
  const ask = useCallback(() => listMembers(hub, project, { patienceMs: 0 }), [hub, project])
  const [members, again] = useList(ask)
  const act = (what: () => Promise<unknown>) =>
    what()
      .catch((error: Error) => toast(`That did not work: ${error.message}`, { tone: 'bad' }))
      .finally(() => void again())
  const leave = (user: ProjectMember['user']) =>
    act(async () => {
      await removeMember(hub, project, user)
      onLeft()
      toast('You have left the project.')
      go({ is: 'runs' })
    })
  return (
    <section className={own.part}>
      <h3>People</h3>
      <AskedList list={members} none="Only you." onRetry={() => void again()}>
        {({ user, name, role, isYou }) => (
          <li key={user} className={css.row}>
            <p className={css.what}>
              <bdi>{name}</bdi>
              <span className={css.when}>{isYou ? `${role}, you` : role}</span>
            </p>
            {isOwner && role !== 'owner' && (
              <>
                <Button
                  isSmall
                  onClick={() =>
                    void act(() => changeMember(hub, project, user, role === 'member' ? 'viewer' : 'member'))
                  }
                >
                  {role === 'member' ? 'Make viewer' : 'Make member'}
                </Button>
                <Button
                  as="danger"
                  isSmall
                  aria-label={`Remove ${name}`}
                  onClick={() => void act(() => removeMember(hub, project, user))}
                >
                  Remove
                </Button>
              </>
            )}
            {isYou && role !== 'owner' && (
              <Button as="danger" isSmall isGuarded onClick={() => void leave(user)}>
                Leave
              </Button>
            )}
          </li>
        )}
      </AskedList>
    </section>
  )
}
