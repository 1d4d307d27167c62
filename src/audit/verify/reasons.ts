/** Why a check of an interaction's document did not come out as `verified`. */
export const DOCUMENT_REASONS = {
  // The document itself
  'schema-violation': 'The document does not match the wire schema.',
  'too-many':
    'More than 200 revisions, 16 parties or acceptances in one, or more of a bundle than is looked at.',
  erased: 'The texts are erased: without the contracts no hash can be recomputed.',
  'id-invalid': 'An id has not the spelling that the service gives or takes.',
  'interaction-id-mismatch': 'A part of the document belongs to another interaction.',
  'revision-id-repeated': 'Two revisions have one id.',
  'parties-invalid':
    'Parties are 2 to 16 different agents, initiator and responder among them and different.',
  'parties-changed': 'The parties are not the same throughout.',
  'proposer-not-a-party': 'A revision was proposed by an agent that is no party.',
  'first-proposer-not-initiator': 'Revision 1 was not proposed by the initiator.',
  'no-revisions': 'There is no revision.',
  'revision-numbers-not-contiguous': 'Revisions are not numbered 1, 2, 3 and so on, in order.',
  'top-level-differs':
    'The top level does not repeat the terms in force, or without any the newest proposal.',
  'status-inconsistent': 'The status does not agree with the statuses of the revisions.',
  'times-inconsistent': 'The moments cannot have followed each other like this.',
  'expiry-not-repeated': "A revision does not repeat the interaction's expiresAt verbatim.",
  'too-late': 'Something happened at or after the deadline or expiresAt.',

  // Revisions
  'terms-hash-mismatch': 'The terms hash is not the hash of the terms.',
  'signatures-not-empty': 'contract.signatures must be {}: consent lives in acceptances.',
  'link-broken': "previousTermsHash is not the preceding revision's hash.",
  'terms-unchanged': "The terms equal the preceding revision's or those in force.",
  'acceptance-missing': 'An agent whose acceptance is needed has not accepted.',
  'acceptance-surplus': 'Every party has accepted, but the revision is not accepted.',

  // Acceptances and keys
  'agent-id-mismatch': "The map key is not the acceptance's agentId.",
  'not-a-party': 'The accepting agent is no party.',
  'accepts-other-terms': "The acceptance names another hash than the revision's.",
  'signature-missing': 'The method is ed25519, but there is no signature.',
  'signature-unexpected': 'There is a signature, but the method is not ed25519.',
  'method-without-signature':
    'Acceptances by this method carry no signature: only the platform vouches for them.',
  'key-missing': 'The key is not among the given ones.',
  'key-id-wrong': 'Another key than the named one made the signature.',
  'key-malformed': 'The given key is no Ed25519 public key in canonical spelling.',
  'key-unsafe-point':
    'The given key is non-canonical, of small order or not in the prime-order subgroup.',
  'signature-invalid': 'The signature does not verify.',
  'accepted-at-implausible': 'acceptedAt is more than 300 s from when it was recorded.',
  'key-not-yet-valid': 'The key was not yet valid when the signature was recorded.',
  'key-window-ended': 'The key had been replaced when the signature was recorded.',
  raced: 'The key had been revoked when the acceptance was recorded.',
  'recorded-moment-unknown':
    'Moments alone do not tell on which side of a key change it was recorded, as within 300 s of it.',

  // Attestations
  'attestation-missing': 'An accepted revision has no attestation.',
  'attestation-unexpected': 'A revision that is not accepted has an attestation.',
  'digest-mismatch': 'The digest is not the digest of the revision.',
  'key-purpose': 'The platform key has another purpose than attestation.',
  'key-revoked': 'The platform key had been revoked when the revision was accepted.',
  'log-position-needed':
    'The platform key has been revoked since; only the place in the log can tell which came first.',
} as const satisfies Record<string, string>;

/** Why a check of the log's events, or of an evidence bundle, did not; those above serve there too. */
const LOG_REASONS = {
  // Events of the log
  'envelope-malformed': 'This is no event envelope of version 1.',
  'revision-gap': "The stream's events are not numbered 0, 1, 2 and so on, each once and in order.",
  'recorded-earlier': "The event is dated before the stream's previous one.",
  'event-id-wrong': "The event's id is not that of an event of this command in this stream.",
  'index-not-growing': 'The entries are not in the order of the log.',
  'event-unknown': 'No event of this type belongs into a stream of this kind.',
  'version-unknown': 'The event has a form that a later build wrote.',
  'data-malformed': 'The event does not hold what an event of its type holds.',
  'head-unknown': 'The decision was based on an event that is not in the log before it.',
  'texts-missing': 'The texts are not given, nor the key that opens them.',
  'seal-broken': 'The key does not open the sealed texts.',
  'text-hash-mismatch': 'The recorded hash is not the hash of the text.',
  'terms-inconsistent': 'The terms do not fit the interaction that they are proposed in.',
  'report-incomplete': "The report does not answer the contract's entries, each exactly once.",
  'report-impossible': 'No report could answer the terms: it would be more than a request holds.',
  'illegal-transition': 'The rules do not allow this event here.',
  'state-unknown':
    'What comes before in this stream is missing or wrong, so nothing follows from it.',
  'audience-differs': 'The interaction is of another platform.',
  'party-unknown': 'A party was not registered, or had retired, at this place in the log.',
  'method-not-permitted': 'The agent did not accept by this method at this place in the log.',
  'policy-not-in-force':
    "The policy that is named was not the agent's when the terms were proposed and accepted, or does not cover them.",
  'act-without-signature':
    'The agent does not sign its acts: only the platform vouches for this one.',
  'retention-unrecorded':
    'For how long the texts were to be retained went with them, and the erasure does not tell.',
  'signed-at-implausible': 'The signed moment is more than 300 s from when it was recorded.',
  'signature-repeated':
    'The signature has served an earlier act of this interaction: it does so once.',
  'key-unregistered': 'No key of this id was registered before this place in the log.',
  'key-not-current':
    'The platform key was registered after the head that the decision was based on.',
  'key-repeated': 'A key or its id was registered before.',
  'thumbprint-mismatch': 'The thumbprint is not that of the key.',
  'command-repeated': 'Another command of this agent had this id before.',
  'change-hash-mismatch': 'What was signed is not the hash of a request for this very change.',
  'change-repeated': 'The signed request has entitled to a change before: it does so once.',
  'change-without-signature':
    "The key rests on an addition by the owner's administrator that no earlier key signed: only the platform vouches for it.",
  'events-withheld':
    'Events of this agent before this place are withheld; one of them may be about its keys.',
  'events-missing': 'Events of this stream before this place are not given.',

  // Evidence bundles
  'log-unnamed': 'Neither a key of the log nor a remembered checkpoint was given to trust.',
  'checkpoint-missing':
    'No checkpoint was given: nothing says to which root the entries must lead.',
  'checkpoint-malformed': 'This is no signed checkpoint.',
  'origin-differs': 'The checkpoint is of another log.',
  'checkpoint-unsigned': 'No trusted key has signed the checkpoint.',
  'checkpoint-signature-invalid': 'A signature by the name of a trusted key does not verify.',
  'checkpoint-forked': 'The trusted checkpoint has another root for a tree of the same size.',
  'checkpoint-older': 'The trusted checkpoint is newer: nothing here leads from one to the other.',
  'consistency-missing': 'There is no consistency proof from the trusted checkpoint.',
  'consistency-unanchored':
    'The consistency proof begins with a size of which no checkpoint was given to trust.',
  'consistency-broken': 'The tree does not begin with the tree of the trusted checkpoint.',
  'beyond-trust':
    'Entries stand behind the end of the trusted checkpoint, and no trusted key signed.',
  'root-mismatch': 'The entries do not lead to the root that the checkpoint names.',
  'log-shorter': 'The log ends before the checkpoint does.',
  'cosignature-missing': 'The witness has not cosigned the checkpoint.',
  'cosignature-invalid': "The witness's cosignature does not verify.",
  'not-included': 'The entry does not stand at this place of the tree.',
  'index-repeated': 'Two entries claim one place in the log.',
  'stream-missing': 'A stream that the evidence needs is not given.',
  'stream-unexpected': 'The stream is not one that the evidence needs.',
  'entry-misplaced': 'The entry belongs to another stream.',
  'withheld-unexpected': 'Only events of agents can be withheld.',
  'document-differs': 'The document is not what the events lead to.',
  'document-missing': 'There is no document to compare.',
  'expiry-unrecorded':
    'The document shows an expiry that is not recorded yet: whether it was due, the clock has to tell.',
} as const satisfies Record<string, string>;

/** Stable codes, each in one sentence. */
export const REASONS = { ...DOCUMENT_REASONS, ...LOG_REASONS } as const;

export type Reason = keyof typeof REASONS;
