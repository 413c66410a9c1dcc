import { isRandom } from "../judge/is-random.js";
import { isUnmistakable } from "../judge/is-unmistakable.js";
import { isUuid } from "../judge/judge-value.js";
import { kindByName } from "../kinds/named-kinds.js";
import { captureAt, type Finder, startsToken } from "./finding.js";

// Issuers whose keys have no mark of their own: hexadecimal digits, uuids, letters and digits.
const ISSUERS = (
  "algolia amplitude appveyor assemblyai auth0 azure binance bitbucket bittrex bugsnag buildkite circleci cloudflare codacy " +
  "codecov cohere coinbase contentful coveralls cypress datadog deepgram deepl docusign drone dropbox etherscan fastly " +
  "firebase freshdesk gitea giphy gitlab grafana heroku hetzner honeybadger honeycomb hubspot infura instana intercom jenkins " +
  "kaggle keycloak kraken launchdarkly linode logz.io loggly mailchimp mailgun mailjet mapbox mattermost meilisearch messagebird " +
  "mistral mixpanel netlify newrelic ngrok nexmo okta openweather opsgenie pagerduty pinecone pipedrive plaid plivo posthog " +
  "postmark pusher qdrant railway rapidapi redmine rollbar runpod saucelabs scaleway segment sentry serpapi serper shodan snyk sonarqube " +
  "sonarcloud sparkpost splunk spotify statuspage steam stripe sumologic supabase todoist trello travis tinybird twilio typesense unsplash " +
  "upstash vercel virustotal vonage vultr wandb weaviate wakatime youtube zendesk zerotier zulip"
).split(" ");

/** "Algolia admin key …", `wandb login …`, `codecov -t …`: the issuer, a word for a key, and what looks like one. */
export const findByIssuer: Finder = {
  anchors: ISSUERS,
  isGuess: true,
  anyCase: true,
  find(text, at) {
    const value = startsToken(text, at) ? captureAt(NAMED_BY_ISSUER, text, at) : undefined;
    const isFound = value && (isUuid(value.text) || HEX_KEY.test(value.text) || isUnmistakable(value.text));
    return isFound && isRandom(value.text, true)
      ? [
          {
            kind: kindByName(text.slice(at, value.start), value.text) ?? "secret",
            start: value.start,
            end: value.end,
            certain: false,
          },
        ]
      : [];
  },
};

const NAMED_BY_ISSUER =
  /[a-z\d.]{3,14}(?:[ \t]+(?!public|publishable|client)[\w'’-]{1,16}){0,4}?(?:[ \t_.-]+(?:api[ _-]?)?(?:key|token|secret|pat|dsn)(?:[ \t]*[:=]|[ \t]+is|[ \t]*\()?|[ \t]+(?:login|auth)|[ \t]+--?[tk]|\((?:\\*["'][\w-]{1,40}\\*["'],)?)[ \t]*\\*["'`(]?([\w-]{20,80})(?![\w./+=-])/diy;
const HEX_KEY = /^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{64})$/i;
