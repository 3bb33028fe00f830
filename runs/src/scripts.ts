/**
 * The scripts that change a conversation and its runs. All keys of one conversation share a slot, so each is atomic.
 * State words are JSON strings, as everything in the hashes: '"running"'.
 */

/**
 * Creates a conversation, with its first run when there is one; nothing happens when it exists.
 * KEYS conversation, run, messages · ARGV count of conversation fields, fields…, count of run fields, fields…, messages…
 * Returns 1 when created, 0 when it was there.
 */
export const CREATE_CONVERSATION = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local at = 1
local n = tonumber(ARGV[at])
for i = at + 1, at + n, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
at = at + n + 1
n = tonumber(ARGV[at])
for i = at + 1, at + n, 2 do redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
for i = at + n + 1, #ARGV do redis.call('RPUSH', KEYS[3], ARGV[i]) end
return 1
`;

/**
 * Makes a new run the current one of a conversation whose current run, if any, has ended.
 * KEYS conversation, current run (or any key when none), new run, messages
 * ARGV expected current run id as JSON, count of conversation fields, fields…, count of run fields, fields…, messages…
 * Returns 'started', 'busy', 'changed' (another run became current meanwhile) or 'missing'.
 */
export const START_RUN = `
local current = redis.call('HGET', KEYS[1], 'currentRunId')
if not current then return 'missing' end
if current ~= ARGV[1] then return 'changed' end
if current ~= 'null' then
  local state = redis.call('HGET', KEYS[2], 'state')
  if state and state ~= '"succeeded"' and state ~= '"failed"' and state ~= '"cancelled"' then return 'busy' end
end
local at = 2
local n = tonumber(ARGV[at])
for i = at + 1, at + n, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
at = at + n + 1
n = tonumber(ARGV[at])
for i = at + 1, at + n, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
for i = at + n + 1, #ARGV do redis.call('RPUSH', KEYS[4], ARGV[i]) end
return 'started'
`;

/**
 * Writes fields and messages of a run that has not ended, if the attempt is still the one that may write.
 * KEYS run, messages · ARGV attempt (or -1: whoever writes, as the gateway does when it settles), count of fields, fields…, messages…
 * Returns 'ok', 'missing', 'ended' or 'superseded'.
 */
export const COMMIT = `
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return 'missing' end
if state == '"succeeded"' or state == '"failed"' or state == '"cancelled"' then return 'ended' end
if ARGV[1] ~= '-1' and redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 'superseded' end
local n = tonumber(ARGV[2])
for i = 3, n + 1, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = n + 3, #ARGV do redis.call('RPUSH', KEYS[2], ARGV[i]) end
return 'ok'
`;

/**
 * Takes the next attempt of a run, unless it has ended or its present worker still shows signs of life.
 * KEYS run, heartbeat · ARGV worker, life of the heartbeat in ms, now (ISO, JSON)
 * Returns the attempt, or 'missing', 'ended', 'alive'.
 */
export const TAKE_ATTEMPT = `
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return 'missing' end
if state == '"succeeded"' or state == '"failed"' or state == '"cancelled"' then return 'ended' end
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= ARGV[1] then return 'alive' end
local attempt = redis.call('HINCRBY', KEYS[1], 'attempt', 1)
redis.call('HSET', KEYS[1], 'state', '"running"', 'updatedAt', ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return attempt
`;

/**
 * Renews the heartbeat of an attempt.
 * KEYS run, heartbeat · ARGV attempt, worker, life in ms · Returns 1, or 0 when the attempt was superseded.
 */
export const BEAT = `
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
return 1
`;

/**
 * Appends to the journal if the attempt is still the one that may write.
 * KEYS run, journal · ARGV attempt, longest length kept, entry (JSON) · Returns the entry id, or 'superseded'.
 */
export const JOURNAL = `
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 'superseded' end
return redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], '*', 'entry', ARGV[3])
`;

/**
 * Gives a run back to the queue: the heartbeat ends and the next attempt may start at once.
 * KEYS run, heartbeat · ARGV attempt, now (ISO, JSON) · Returns 1, or 0 when superseded or ended.
 */
export const HAND_BACK = `
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'state') ~= '"running"' then return 0 end
redis.call('HSET', KEYS[1], 'state', '"queued"', 'updatedAt', ARGV[2])
redis.call('DEL', KEYS[2])
return 1
`;
