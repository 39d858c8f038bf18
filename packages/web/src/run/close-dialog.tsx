import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

/** Asks whether to close the run, and says what happens then. */
export function CloseDialog({ onClose, onAgree }: { onClose: () => void; onAgree: () => void }) {
  const buttons = (
    <>
      <Button onClick={onClose}>Leave it open</Button>
      <Button as="danger" isGuarded onClick={onAgree}>
        Close the run
      </Button>
    </>
  )
  return (
    <Dialog title="Close this run?" onClose={onClose} buttons={buttons}>
      <p>
        The agent is stopped, the last files are saved, and the sandbox is removed. The run stays readable and
        can be reopened.
      </p>
    </Dialog>
  )
}
