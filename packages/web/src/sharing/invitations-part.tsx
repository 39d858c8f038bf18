import type { Hub } from '@farhand/client/requests/hub'
import { invite, listInvitations, revokeInvitation } from '@farhand/client/resources/sharing'
import { type GivenRole, invitationLink } from '@farhand/protocol/schemas/sharing'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { useCallback, useState } from 'react'
import css from '../account/account.module.css'
import { AskedList } from '../account/asked-list.tsx'
import { useList } from '../account/use-list.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { toast } from '../ui/toasts.ts'
import { MadeLink } from './made-link.tsx'
import { rightsInWords } from './rights-in-words.ts'
import own from './sharing.module.css'

const roles = [
  { value: 'viewer', label: 'Viewer', note: rightsInWords.viewer },
  { value: 'member', label: 'Member', note: rightsInWords.member },
] as const

/** The invitations to a project. */
export function InvitationsPart({ hub, project }: { hub: Hub; project: ProjectId }) {
  const ask = useCallback(() => listInvitations(hub, project, { patienceMs: 0 }), [hub, project])
  const [invitations, again] = useList(ask)
  const [role, setRole] = useState<GivenRole>('viewer')
  const [made, setMade] = useState<string | null>(null)
  const act = (what: () => Promise<unknown>) =>
    what()
      .catch((error: Error) => toast(`That did not work: ${error.message}`, { tone: 'bad' }))
      .finally(() => void again())
  const make = () =>
    act(async () => {
      const { token } = await invite(hub, project, { role })
      setMade(invitationLink(location.origin, token))
    })
  return (
    <section className={own.part}>
      <h3>Invite a user to the project</h3>
      <Choice label="Role" value={role} options={roles} onChoose={setRole} />
      <div>
        <Button onClick={() => void make()}>Make an invitation</Button>
      </div>
      {made !== null && <MadeLink label="Invitation" link={made} />}
      <AskedList list={invitations} none="No invitation is open." onRetry={() => void again()}>
        {(one) => (
          <li key={one.id} className={css.row}>
            <p className={css.what}>
              For {one.usesLeft === 1 ? 'one' : one.usesLeft} {one.role}
              {one.usesLeft > 1 && 's'}
              <span className={css.when}>
                until {new Date(one.expiresAt).toLocaleDateString('en', { dateStyle: 'medium' })}
              </span>
            </p>
            <Button
              as="danger"
              isSmall
              onClick={() => void act(() => revokeInvitation(hub, project, one.id))}
            >
              Revoke
            </Button>
          </li>
        )}
      </AskedList>
    </section>
  )
}
