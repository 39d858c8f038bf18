import type { Hub } from '@farhand/client/requests/hub'
import type { Run } from '@farhand/protocol/schemas/api'
import type { ProjectRole } from '@farhand/protocol/wire/project-role'
import { Dialog } from '../ui/dialog.tsx'
import { InvitationsPart } from './invitations-part.tsx'
import { MembersPart } from './members-part.tsx'
import { RunLinksPart } from './run-links-part.tsx'

type Props = { hub: Hub; about: Run; role: ProjectRole | undefined; onClose: () => void }

/** Who has a part in the project of a run, and for its owner the links with which others get one. */
export function ShareDialog({ hub, about, role, onClose }: Props) {
  const isOwner = role === undefined || role === 'owner'
  return (
    <Dialog title={isOwner ? 'Share' : 'People in this project'} onClose={onClose}>
      {isOwner && <RunLinksPart {...{ hub, about }} />}
      {isOwner && <InvitationsPart hub={hub} project={about.project} />}
      <MembersPart hub={hub} project={about.project} isOwner={isOwner} onLeft={onClose} />
    </Dialog>
  )
}
