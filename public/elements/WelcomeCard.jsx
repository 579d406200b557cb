// Who is listening, and the three ways in: a story, a guided tour, a question.
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

// One of the ways in.
function Way({ name, about, on, busy, press }) {
  return (
    <button type="button" className="cue-way" disabled={busy} aria-pressed={on} onClick={press}>
      <strong>{name}</strong>
      <span className="cue-tagline">{about}</span>
    </button>
  )
}

export default function WelcomeCard() {
  const newest = useNewest(props.issued)
  const [persona, setPersona] = useState(null)
  const [chosen, setChosen] = useState("")
  const [way, setWay] = useState("")
  const [strategy, setStrategy] = useState(props.strategies[0]?.id || "")
  const [busy, setBusy] = useState(false)
  const next = useRef(null)
  const card = useRef(null)
  useEffect(() => {
    if (!newest || !card.current) return
    if (document.activeElement === document.body) card.current.focus({ preventScroll: true })
    card.current.scrollIntoView({ block: "nearest" })
  }, [])
  useEffect(() => {
    next.current?.scrollIntoView({ block: "nearest" })
  }, [persona, way])
  const press = async (name, payload) => {
    if (busy) return
    setBusy(true)
    try {
      await callAction({ name, payload: { ...payload, ticket: props.ticket } })
    } finally {
      setBusy(false)
    }
  }
  const set = (what, words) => {
    setChosen(words)
    press(what.name, what.payload).catch(() => setChosen(""))
  }
  const tell = (one) => set({ name: "begin", payload: { persona: persona.id, length: one.id, strategy } }, `${persona.name}, ${one.name.toLowerCase()}`)
  const walk = (one) => set({ name: "begin", payload: { persona: persona.id, tour: one.id, strategy } }, `${persona.name}: ${one.title}`)
  const answer = (one) => set({ name: "ask", payload: { choice: one.id } }, one.label)
  const compose = () => {
    setWay("ask")
    press("ask", { persona: persona.id }).catch(() => {})
    document.getElementById("chat-input")?.focus()
  }
  if (!newest) return chosen ? <p className="cue-chosen">You chose: {chosen}</p> : null
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
      {props.near.length ? (
        <div className="cue-choices cue-asked-for" role="group" aria-label="Near what you asked">
          {props.near.map((one) => (
            <button key={one.id} type="button" className="cue-pill cue-outlined" disabled={busy} onClick={() => answer(one)}>
              {one.label}
            </button>
          ))}
        </div>
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
        <div ref={next}>
          <h3 className="cue-question">What would you like?</h3>
          <div className="cue-ways" role="group" aria-label="What would you like?">
            <Way name="A story for me" about="I choose what fits you, part by part; you choose where it goes." on={way === "story"} busy={busy} press={() => setWay("story")} />
            {persona.tours.length ? (
              <Way name="A guided tour" about="Laid out stop by stop, with a choice here and there." on={way === "tour"} busy={busy} press={() => setWay("tour")} />
            ) : null}
            <Way name="Ask me something" about="Write your question below; what I can prove, I tell." on={way === "ask"} busy={busy} press={compose} />
          </div>
          {props.strategies.length > 1 && (way === "story" || way === "tour") ? (
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
          {way === "story" ? (
            <>
              <h3 className="cue-question">How long have you got?</h3>
              <div className="cue-lengths" role="group" aria-label="How long have you got?">
                {persona.lengths.map((one) => (
                  <button key={one.id} type="button" className="cue-pill cue-outlined cue-length" disabled={busy} onClick={() => tell(one)}>
                    <strong>{one.name}</strong> <span className="cue-about">{one.about}</span>
                  </button>
                ))}
              </div>
            </>
          ) : null}
          {way === "tour" ? (
            <>
              <h3 className="cue-question">Which tour?</h3>
              <div className="cue-tours" role="group" aria-label="Which tour?">
                {persona.tours.map((one) => (
                  <button key={one.id} type="button" className="cue-tour" disabled={busy} onClick={() => walk(one)}>
                    <strong>{one.title}</strong>
                    <span className="cue-tagline">{one.tagline}</span>
                    <span className="cue-about">{one.about}</span>
                  </button>
                ))}
              </div>
            </>
          ) : null}
        </div>
      ) : null}
      <p className="cue-stored">{props.stored}</p>
    </div>
  )
}
