import { Refusal } from '@farhand/client/requests/refusal'
import { acceptInvitation, offeredInvitation } from '@farhand/client/resources/sharing'
import type { OfferedInvitation } from '@farhand/protocol/schemas/sharing'
import { useEffect, useState } from 'react'
import { go } from '../navigation/location.ts'
import { PlainPage } from '../page/plain-page.tsx'
import { pageHub } from '../sign-in/session.ts'
import { Button } from '../ui/button.tsx'
import { toast } from '../ui/toasts.ts'
import { rightsInWords } from './rights-in-words.ts'

/** Shows what an invitation offers, and joins the project if the user agrees. */
export function JoinPage({ invitation }: { invitation: string }) {
  const [offer, setOffer] = useState<OfferedInvitation | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isJoining, setJoining] = useState(false)
  useEffect(() => {
    let isGone = false
    offeredInvitation(pageHub, invitation, { patienceMs: 3000 }).then(
      (found) => isGone || setOffer(found),
      (error: unknown) => isGone || setTrouble(whyNot(error)),
    )
    return () => {
      isGone = true
    }
  }, [invitation])
  const join = async () => {
    setJoining(true)
    try {
      const { name } = await acceptInvitation(pageHub, invitation)
      toast(`You are in the project ${name} now. Its runs are in your list.`)
      go({ is: 'runs' }, { replace: true })
    } catch (error) {
      setTrouble(whyNot(error))
    }
    setJoining(false)
  }
  return (
    <PlainPage title="Invitation to a project">
      {trouble !== null ? (
        <p role="alert">{trouble}</p>
      ) : offer === null ? (
        <p>Asking the hub…</p>
      ) : (
        <>
          <p dir="auto">
            {offer.invitedBy} invites you to the project <strong>{offer.projectName}</strong>, as{' '}
            {offer.role === 'member' ? 'a member' : 'a viewer'}. {rightsInWords[offer.role]}
          </p>
          {offer.yours === null || (offer.yours === 'viewer' && offer.role === 'member') ? (
            <Button as="main" disabled={isJoining} onClick={() => void join()}>
              Join
            </Button>
          ) : (
            <p>You are in this project already.</p>
          )}
        </>
      )}
    </PlainPage>
  )
}

function whyNot(error: unknown): string {
  if (error instanceof Refusal && error.code === 'invitation.unknown')
    return 'This invitation is used up, expired, revoked or incomplete. Ask the owner of the project for a new one.'
  return error instanceof Error ? error.message : String(error)
}
