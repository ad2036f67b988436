/**
 * A small thesaurus of general English, for what people ask of software: each line is a subject, and its words are used
 * for one another. A query about an outfit thereby finds what says fashion. A word may stand in several lines.
 *
 * Lines are kept by subject, not by tool: a new one belongs here when people name the same thing by words without a common stem.
 */
import { stem } from "./stem.ts";

// prettier-ignore
const SUBJECTS = `
weather forecast temperature rain rainy snow sunny humidity wind storm climate cloudy meteorological hurricane umbrella degrees celsius
air quality pollution aqi smog pollen breathe
earthquake quake seismic magnitude tremor epicenter tsunami aftershock
surf surfing wave waves swell beach tide surfer
space astronomy nasa planet mars moon galaxy universe rover telescope star stellar cosmos nebula orbit astronaut iss satellite shuttle apollo
astrology horoscope zodiac aries taurus gemini leo virgo libra scorpio sagittarius capricorn aquarius pisces sign compatibility birthdate
tarot fortune divination reading spiritual
religion islam muslim prophet quran prayer bible faith god christian church teachings islamic hadith torah jewish buddhist hindu
personality mbti introvert extrovert psychology temperament trait
money finance financial budget dollar bank banking economic economy fund cash
stock stocks share shares equity ticker invest investing investment investor portfolio market dividend nasdaq trading trade etf bond returns allocation wealth asset
cryptocurrency crypto bitcoin ethereum blockchain coin token btc eth defi nft wallet
currency exchange convert conversion usd eur euro dollar yen pound rate forex rupee
loan mortgage debt repayment payoff credit interest installment borrow amortization lender
tax taxes vat irs deduction
donate charity nonprofit charitable donation philanthropy volunteer cause foundation fundraising
funding grant grants startup venture scholarship sponsor capital accelerator
company companies business corporate corporation firm enterprise organization industry headquarters brand
customer lead leads sales prospect prospecting crm revenue client pipeline outreach
marketing advertising advertisement ads ad adwords campaign promote promotion ppc advertiser audience copywriting
seo keyword keywords ranking serp backlink search optimization traffic rank volume organic metadata
competitor competitors competition rival competitive
logo branding brand color font identity visual
website site webpage page web url link domain html blog browser online internet
domain dns registrar hosting whois subdomain url
performance speed loading accessibility lighthouse pwa metrics
deploy launch publish hosting release build
scrape scraper crawl crawler extract extraction fetch
search find lookup discover locate seek browse explore retrieve query
internet web online google bing engine
news headline headlines article journalism current events breaking press report latest media
politics political election parliament congress senator vote voting legislation government policy candidate lawmaker minister party lobbying politician mp labour conservative
law legal lawyer attorney statute regulation court lawsuit legislation rights illegal
census population demographic demographics statistics data
travel trip journey vacation holiday tour tourism tourist itinerary destination sightseeing visit flight abroad backpacking getaway
hotel accommodation lodging stay booking hostel airbnb resort room motel
flight airline airport plane ticket fly airfare
aviation pilot metar taf notam aircraft runway airport flying
attraction landmark museum sightseeing activities monument
map maps location navigation direction directions latitude longitude coordinates address route geographic nearby place satellite
subway metro train station transit transport transportation bus railway commute line
car cars vehicle auto automobile dealer drive driving truck sedan suv dealership motor
electric ev charging charger supercharger tesla station
petrol fuel gas gasoline diesel price
parking park carpark lot garage space
road speed camera traffic roadwork highway driver
pet pets animal animals dog cat horse transporter livestock puppy veterinary
plant plants garden gardening indoor houseplant flower soil watering leaves herb succulent botanical
food meal dish eat cuisine dinner lunch breakfast snack dessert
recipe cook cooking ingredient ingredients bake baking kitchen chef dish meal
diet nutrition calorie calories healthy vegan vegetarian protein carb weight macro nutritional
restaurant dining reservation table dine eatery cafe menu bistro
alcohol sake wine beer drink cocktail whisky brewery bottle
health medical medicine disease illness symptom doctor patient hospital treatment clinical therapy
virus covid coronavirus flu pandemic infection vaccine outbreak epidemic
clinical trial trials study drug patient eligibility biomarker recruiting participants
fitness workout exercise gym training muscle cardio strength squat yoga coach
habit habits routine daily goal goals self improvement motivation discipline
decision decisions choice choose decide option dilemma
perspective opinion viewpoint insight advice angle
reminder remind alarm notification schedule alert
todo task tasks list checklist project management productivity deadline planner
calendar meeting appointment schedule event agenda
note notes notebook memo journal jot diary
memory remember recall store memorize flashcard flashcards repetition spaced study
email mail inbox gmail message outlook correspondence
sms text message phone texting
call calls phone telephone zoom conference recording
chat conversation dialogue talk message discussion converse
social media twitter tweet instagram facebook tiktok followers post hashtag influencer linkedin
trend trends trending popular viral
translate translation translator language foreign french spanish german japanese chinese korean italian english multilingual
language pronunciation speak speaking vocabulary grammar tutor phrase fluent learn
exam test ielts toefl preparation practice prep score
learn learning education course courses class lesson study teach training tutorial university online skill workshop student school curriculum
child children kid kids toddler preschool educational age parent son daughter kindergarten
book books novel author reading literature fiction read library bestseller
story stories tale fairy narrative storytelling illustrated fiction
write writing writer essay draft compose author content editor
rewrite rephrase paraphrase polish improve refine reword wording tone grammar proofread
copy copywriting slogan headline tagline caption
summarize summary summarise condense overview gist brief digest key points tldr
translate convert transform change turn
read document pdf file paper page docx
ocr scan scanned handwriting handwritten recognize extract text photo image
export download save file format
word words count character characters length letter letters
wordcloud cloud words visualization frequency
ascii art font fonts banner lettering
qr qrcode code barcode scan
image picture photo photograph photography illustration pictures visual images pic snapshot
edit crop resize filter blur retouch enhance brightness
generate create make produce build construct design compose craft develop
art artwork painting sculpture museum artist gallery masterpiece exhibit
design designer graphic template visual layout creative mockup ui ux
meme memes funny humor joke
gif gifs animated animation reaction
video videos youtube clip footage film vlog movie recording
avatar spokesperson presenter talking
movie movies film tv show shows series watch streaming netflix cinema television episode season hulu
podcast podcasts episode audio listen host show
music song songs playlist artist album track spotify melody band tune soundtrack genre singer
chord guitar chords strum fingering instrument ukulele
notation sheet midi wav composition melody score audio
audio speech voice sound narration tts mp3 spoken listen
theater broadway musical play stage performance show
ticket tickets concert event seats venue gig festival
theme park disney ride rides waiting queue amusement rollercoaster universal
game games gaming play player video playstation xbox nintendo steam rpg multiplayer
chess checkmate opening grandmaster board pawn knight bishop
checkers board draughts jump
tic tac toe noughts crosses
sudoku puzzle grid
crossword crosswords puzzle clue clues hint hints
guess riddle secret clue guessing word
dice roll die rolling random toss
card cards deck hand poker shuffle suit
life simulation simulator virtual character
time clock timezone hour date current now
history historical past ancient century era medieval war empire
archive wayback snapshot old past previous version
sport sports team teams game nba nfl nhl mlb basketball baseball hockey league player score season
soccer football match premier fifa goal goals uefa fixture standings club league champions
fantasy squad lineup transfer team captain
job jobs career employment hire hiring recruit recruiter vacancy position employer opportunity opening work occupation salary
resume cv cover letter curriculum vitae interview
freelance freelancer talent contractor remote engineer developer hire
agency agencies firm consultant
shop shopping buy purchase store product products retailer order cart checkout merchandise item
product gadget laptop phone smartphone headphone headphones appliance electronics device camera item
price cost cheap affordable expensive budget pricing
discount coupon coupons deal deals promo save sale voucher offer bargain
review reviews rating ratings feedback pros cons opinion advantage disadvantage
compare comparison versus difference vs better contrast
recommend recommendation suggest suggestion advice idea ideas propose tip tips
gift gifts present birthday christmas father mother anniversary surprise wedding
fashion clothes clothing outfit wear dress style apparel shoes shirt jacket wardrobe jeans tshirt hoodie
beauty makeup cosmetics skincare skin lipstick moisturizer hair perfume shampoo
house home property apartment estate real condo mortgage bedroom housing realtor
rent rental renting lease tenant landlord apartment
local nearby near neighborhood area community around
code coding program programming software developer javascript python java script function debug algorithm
github repository repo project source library commit
app application mobile android ios build
sql database query table select join schema mysql postgres
server ssh linux command terminal shell cloud aws azure gcp instance deployment infrastructure devops
api endpoint webhook http rest integration request json
automate automation workflow integrate connect
hack security vulnerability breach breached password leak exposed cyber cybersecurity malware credential penetration scan compromised
network traffic internet attack ddos threat outage
data dataset analytics analysis analyze statistics insight visualize
spreadsheet excel sheet csv table rows
chart graph diagram plot visualize bar pie line histogram flowchart
mind map brainstorm ideas
form survey questionnaire quiz poll responses
calculate calculator math equation arithmetic formula compute sum add multiply algebra solve percentage mathematical
research paper academic scholarly journal scientific publication study literature citation arxiv scholar thesis
photorealistic realistic lifelike render photography
3d model asset texture mesh vr ar render
ai artificial intelligence machine neural gpt chatbot llm
agent agents autonomous multiple goal
workspace wiki docs knowledge documentation
wordpress post posts blog blogger plugin
newsletter newsletters subscribe subscriber publication mailing
erp inventory resource accounting supply
manual handbook catalog specification instructions guide documentation
monetize affiliate tracking commission earn
wait sleep pause delay millisecond second
delete remove erase drop clear
list enumerate all show
send deliver dispatch post transmit
update modify change edit alter
hash digest checksum sha256 md5 encrypt
parse read decode interpret
invoice bill billing payment pay receipt charge refund checkout transaction
shipment shipping delivery parcel package courier tracking logistics freight
ticket issue bug incident defect support helpdesk complaint
user account login profile signup authenticate password member
permission role access grant authorize privilege
file folder directory path upload storage drive
compress zip archive gzip unzip pack
encode decode base64 encoding escape
regex pattern match expression
sort order rank arrange ascending descending
filter where select only exclude
group aggregate total sum average mean median maximum minimum count
duration interval elapsed between difference days weeks months
log trace monitor monitoring metric observability
json xml yaml csv format parse
markdown html render convert
cron recurring periodic interval schedule
backup restore snapshot recover
diff difference compare merge change
sensor device iot reading thermostat
random shuffle pick uuid identifier unique
validate verify check valid schema correct
duplicate duplicates dedupe unique distinct
tag label classify category categorize classification
sentiment emotion mood feeling positive negative
contact contacts address phonebook person people
contract agreement clause terms sign
employee staff hr payroll personnel workforce
warehouse stock inventory supply
`;

/** The subjects a stemmed word belongs to, by number; none for most words. */
const SUBJECTS_OF = new Map<string, number[]>();
for (const [subject, line] of SUBJECTS.trim().split("\n").entries())
  for (const word of new Set(line.split(" ").map(stem)))
    SUBJECTS_OF.set(word, [...(SUBJECTS_OF.get(word) ?? []), subject]);

const NONE: readonly number[] = [];
export const subjectsOf = (stemmed: string): readonly number[] => SUBJECTS_OF.get(stemmed) ?? NONE;

/** Changes with the thesaurus: what was derived by another one has to be derived anew. */
export const THESAURUS_VERSION: string = [...SUBJECTS]
  .reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) | 0, 7)
  .toString(36);
