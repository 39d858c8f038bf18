import { randomName } from '@farhand/protocol/wire/ids'
import { type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLive } from '../live/use-live.ts'
import { go } from '../navigation/location.ts'
import { PlainPage } from '../page/plain-page.tsx'
import { readLocal, writeLocal } from '../storage/local.ts'
import { startCommand, startPlace } from '../text/cli-command.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { AgentPart } from './agent-part.tsx'
import { hubNewRunSource } from './hub-new-run.ts'
import { type FieldTroubles, type NewRunForm, planRun } from './new-run-form.ts'
import css from './new-run-page.module.css'
import { type NewRunSource, type Offers, RunNotStarted } from './new-run-source.ts'
import { SandboxPart } from './sandbox-part.tsx'
import { formAfterStart, readSavedForm, type SavedForm } from './saved-form.ts'
import { StartingPointPart } from './starting-point-part.tsx'
import { preselectedAgent } from './which-agent.ts'

type Props = { source: NewRunSource }

/** The form for a new run. It starts with the choices of the last time. */
export function NewRunPage({ source }: Props) {
  const [kept] = useState(loadForm)
  const [attempt, setAttempt] = useState(kept.attempt)
  const [form, setForm] = useState(kept.form)
  const [troubles, setTroubles] = useState<FieldTroubles>({})
  const [offers, setOffers] = useState<Offers | null>(null)
  const [lost, setLost] = useState<string | null>(null)
  const [isBeginning, setBeginning] = useState(false)

  const ask = useCallback(() => {
    const leaving = new AbortController()
    setLost(null)
    source.offers(leaving.signal).then(
      (offers) => {
        setOffers(offers)
        setForm((form) => withOffers(form, offers))
      },
      (error: Error) => leaving.signal.aborted || setLost(error.message),
    )
    return () => leaving.abort()
  }, [source])
  useEffect(ask, [ask])
  useEffect(() => saveForm({ form, attempt }), [form, attempt])

  const change = (part: Partial<NewRunForm>) => {
    setForm((form) => ({ ...form, ...part }))
    const changed = [...Object.keys(part), 'form']
    setTroubles((all) => Object.fromEntries(Object.entries(all).filter(([name]) => !changed.includes(name))))
  }
  const begin = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBeginning) return
    const page = event.currentTarget
    const planned = planRun(form)
    if ('troubles' in planned) return refuse(planned.troubles, page)
    const next = attempt ?? { key: randomName() }
    setAttempt(next)
    // Save the key before sending: after a reload the same start has to send the same key.
    saveForm({ form, attempt: next })
    setBeginning(true)
    try {
      const at = await source.begin(planned.plan, next.key)
      saveForm(formAfterStart(form, at.project))
      go({ is: 'run', run: at.run, part: 'talk', event: null }, { replace: true })
    } catch (error) {
      const { field, message } =
        error instanceof RunNotStarted ? error : new RunNotStarted('form', String(error))
      setBeginning(false)
      refuse({ [field]: message }, page)
    }
  }
  const refused = useRef<HTMLFormElement | null>(null)
  const refuse = (wrong: FieldTroubles, page: HTMLFormElement) => {
    refused.current = page
    setTroubles(wrong)
  }
  // Not in the next frame: on a busy machine that comes before the fields are marked as invalid.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what is wrong that is to be focused
  useEffect(() => {
    refused.current?.querySelector<HTMLElement>('[aria-invalid], [role="alert"]')?.focus()
    refused.current = null
  }, [troubles])

  const hasSandboxes = offers === null || offers.here.sandboxes.some(({ unusable }) => unusable === null)
  return (
    <PlainPage title="New run">
      <form className={css.form} onSubmit={begin} noValidate>
        {!hasSandboxes && (
          <p className={css.notice} role="alert">
            This hub has no sandboxes, so nothing can be started from here. {startPlace}:{' '}
            <code>{startCommand}</code>
          </p>
        )}
        <Field label="What is to be done" trouble={troubles.prompt}>
          {(given) => (
            <textarea
              {...given}
              className={css.prompt}
              dir="auto"
              rows={4}
              value={form.prompt}
              placeholder="Find out why the tests of the parser fail, and mend it."
              onChange={(event) => change({ prompt: event.target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
                event.preventDefault()
                event.currentTarget.form?.requestSubmit()
              }}
            />
          )}
        </Field>
        {offers && (
          <>
            <StartingPointPart
              form={form}
              projects={offers.projects}
              runs={offers.runs}
              troubles={troubles}
              onChange={change}
            />
            <AgentPart form={form} here={offers.here} troubles={troubles} onChange={change} />
            <SandboxPart form={form} here={offers.here} troubles={troubles} onChange={change} />
          </>
        )}
        {!offers && lost === null && (
          <p className={css.waiting} role="status">
            <Spinner /> Loading the choices
          </p>
        )}
        {lost !== null && (
          <p className={css.notice} role="alert">
            The choices could not be loaded: {lost}{' '}
            <Button isSmall onClick={() => void ask()}>
              Try again
            </Button>
          </p>
        )}
        {troubles.form && (
          <p className={css.notice} role="alert" tabIndex={-1}>
            {troubles.form}
          </p>
        )}
        <div className={css.foot}>
          <Button type="submit" as="main" icon="play" disabled={isBeginning || !offers || !hasSandboxes}>
            {isBeginning ? 'Starting' : 'Start'}
          </Button>
          <span className={css.soft}>
            <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </span>
        </div>
      </form>
    </PlainPage>
  )
}

/** Replaces a project or agent of last time that no longer exists. */
function withOffers(form: NewRunForm, { here, projects }: Offers): NewRunForm {
  const isKnown = projects.some(({ id }) => id === form.project)
  const isFirst = form.project === '' && form.projectName === ''
  const project = isKnown || (!isFirst && form.project === '') ? form.project : (projects[0]?.id ?? '')
  return { ...form, project, agent: preselectedAgent(here, form.agent) }
}

const formKey = 'farhand.new'

/** The form as it was last left in this browser. */
const loadForm = (): SavedForm => readSavedForm(readLocal(formKey))

const saveForm = (kept: SavedForm) =>
  writeLocal(formKey, JSON.stringify({ ...kept, form: { ...kept.form, fork: null } }))

/** The new-run page for the hub that served this app. */
export function NewRunHere() {
  const { hub } = useLive()
  const source = useMemo(() => hubNewRunSource(hub), [hub])
  return <NewRunPage source={source} />
}
