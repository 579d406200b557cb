// Who tells the story, and for how long.
import { useEffect, useRef, useState } from "react"

function useNewest(issued) {
  const room = (window.cuestory = window.cuestory || { newest: 0 })
  const [newest, setNewest] = useState(issued >= room.newest)
  useEffect(() => {
    const look = () => setNewest(issued >= room.newest)
    window.addEventListener("cuestory:newest", look)
    if (issued > room.newest) {
      room.newest = issued
      window.dispatchEvent(new Event("cuestory:newest"))
    }
    return () => window.removeEventListener("cuestory:newest", look)
  }, [issued])
  return newest
}

// Line drawings without a face; a persona of another pack has the one of any visitor.
function Portrait({ name }) {
  const base = document.querySelector('meta[property="og:root_path"]')?.content || ""
  return <img className="cue-portrait" src={`${base}/public/personas/${name}.svg`} alt="" width="64" height="64" />
}

export default function WelcomeCard() {
  const newest = useNewest(props.issued)
  const [persona, setPersona] = useState(null)
  const [length, setLength] = useState(null)
  const [strategy, setStrategy] = useState(props.strategies[0]?.id || "")
  const [busy, setBusy] = useState(false)
  const lengths = useRef(null)
  const card = useRef(null)
  useEffect(() => {
    if (!newest || !card.current) return
    if (document.activeElement === document.body) card.current.focus({ preventScroll: true })
    card.current.scrollIntoView({ block: "nearest" })
  }, [])
  useEffect(() => {
    lengths.current?.scrollIntoView({ block: "nearest" })
  }, [persona])
  const press = async (name, payload) => {
    if (busy) return
    setBusy(true)
    try {
      await callAction({ name, payload: { ...payload, ticket: props.ticket } })
    } finally {
      setBusy(false)
    }
  }
  const begin = (chosen) => {
    setLength(chosen)
    press("begin", { persona: persona.id, length: chosen.id, strategy }).catch(() => setLength(null))
  }
  if (!newest) return length ? <p className="cue-chosen">{persona.name}, {length.name.toLowerCase()}</p> : null
  return (
    <div className="cue-card cue-welcome" ref={card} tabIndex={-1} aria-busy={busy}>
      {props.heard ? (
        <p>
          <button type="button" className="cue-pill cue-filled" disabled={busy} onClick={() => press("resume", {}).catch(() => {})}>
            Continue where you were
          </button>{" "}
          <span className="cue-muted">{props.heard === 1 ? "1 part heard" : `${props.heard} parts heard`}</span>
        </p>
      ) : null}
      <h3 className="cue-question">Who is listening?</h3>
      <div className="cue-personas" role="group" aria-label="Who is listening?">
        {props.personas.map((one) => (
          <button
            key={one.id} type="button" className="cue-persona" disabled={busy}
            aria-pressed={persona?.id === one.id} onClick={() => setPersona(one)}
          >
            <Portrait name={one.portrait} />
            <span>
              <strong>{one.name}</strong>
              <span className="cue-tagline">{one.tagline}</span>
            </span>
          </button>
        ))}
      </div>
      {persona ? (
        <>
          {props.strategies.length > 1 ? (
            <fieldset className="cue-strategies" disabled={busy}>
              <legend className="cue-question">What may I tell from?</legend>
              {props.strategies.map((one) => (
                <label key={one.id}>
                  <input
                    type="radio" name={`strategy-${props.issued}`} checked={strategy === one.id}
                    onChange={() => setStrategy(one.id)}
                  />
                  {one.label}
                </label>
              ))}
            </fieldset>
          ) : null}
          <h3 className="cue-question">How long have you got?</h3>
          <div className="cue-lengths" ref={lengths} role="group" aria-label="How long have you got?">
            {persona.lengths.map((one) => (
              <button key={one.id} type="button" className="cue-pill cue-outlined cue-length" disabled={busy} onClick={() => begin(one)}>
                <strong>{one.name}</strong> <span className="cue-about">{one.about}</span>
              </button>
            ))}
          </div>
        </>
      ) : null}
    </div>
  )
}
