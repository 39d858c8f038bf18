import { cliCommand } from '../text/cli-command.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

type Props = {
  /** The device to sign out; null: this one. */
  device: string | null
  onClose: () => void
  onAgree: () => void
}

/** Asks whether to sign out a device, and says how to sign in again. */
export function SignOutDialog({ device, onClose, onAgree }: Props) {
  const buttons = (
    <>
      <Button onClick={onClose}>Stay signed in</Button>
      <Button as="danger" isGuarded onClick={onAgree}>
        Sign out
      </Button>
    </>
  )
  const title = device === null ? 'Sign out on this device?' : `Sign out ${device}?`
  const again = (
    <>
      a new link from <code>{cliCommand} up</code>
    </>
  )
  return (
    <Dialog title={title} onClose={onClose} buttons={buttons}>
      {device === null ? (
        <p>
          What is kept in this browser is removed, also what you wrote and did not send. Your runs go on. To
          come back you will need {again}.
        </p>
      ) : (
        <p>
          It no longer sees your runs, and forgets what it kept of them, also what was written there and not
          sent. Your runs go on. To come back it will need {again}.
        </p>
      )}
    </Dialog>
  )
}
