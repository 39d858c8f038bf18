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
        What the agent does is stopped, the last files are saved, and the sandbox is given back. Everything
        that happened stays readable, and the run can be opened again.
      </p>
    </Dialog>
  )
}
