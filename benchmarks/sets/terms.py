"""Words of accounts, prices and timetables by language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terms:
    """A `+` before a line is a sum, a `-` an expense, `=` a line of its own without figures."""

    income: tuple[str, ...]
    balance: tuple[str, ...]
    cash: tuple[str, ...]
    notes: str
    total: str
    item: str
    unit: str
    price: str
    goods: tuple[str, ...]
    groups: tuple[str, ...]
    stations: tuple[str, ...]
    year: str
    thousands: str
    remarks: tuple[str, ...]


def _lines(words: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in words.strip().splitlines())


ENGLISH = Terms(
    _lines("""Revenue
    -Cost of sales
    +Gross profit
    Other operating income
    -Selling and distribution costs
    -Administrative expenses
    -Research and development
    +Operating profit
    Finance income
    -Finance costs
    Share of results of associates, net of tax
    +Profit before tax
    -Income tax expense
    +Profit for the year"""),
    _lines("""=Non-current assets
    Property, plant and equipment
    Goodwill
    Intangible assets
    Deferred tax assets
    +Total non-current assets
    =Current assets
    Inventories
    Trade and other receivables
    Cash and cash equivalents
    +Total current assets
    +Total assets
    =Equity and liabilities
    Share capital
    Retained earnings
    Non-controlling interests
    Borrowings
    Trade and other payables
    Provisions
    +Total equity and liabilities"""),
    _lines("""=Operating activities
    Profit for the year
    Depreciation and amortisation
    Impairment of goodwill
    -Increase in inventories
    -Income taxes paid
    +Net cash from operating activities
    =Investing activities
    -Purchase of property, plant and equipment
    Proceeds from sale of equipment
    -Acquisition of subsidiaries, net of cash acquired
    +Net cash used in investing activities
    =Financing activities
    Proceeds from borrowings
    -Repayment of borrowings
    -Dividends paid to the owners of the parent
    +Net change in cash"""),
    "Note",
    "Total",
    "Item",
    "Unit",
    "Price",
    _lines("""Hexagon bolt, zinc plated
    Copper pipe 22 mm
    Ball valve, brass
    Mortar, ready mixed, 25 kg
    Floor tile, matt grey
    Window handle
    LED panel 60 x 60
    Junction box, surface mounted
    Cable NYM-J 3 x 1.5
    Silicone, transparent
    Roof batten, planed
    Gutter bracket"""),
    ("Fixings", "Plumbing", "Electrical", "Building materials"),
    _lines("""Northfield Central
    Ashbourne Road
    Hill Street
    Quayside
    Great Marsh
    Millbrook
    Abbey Wood
    Castle Park
    Fernleigh
    St Mary’s
    Kingsbridge
    Weston Pier"""),
    "Year",
    "in thousands",
    _lines("""includes interest on leases and the unwinding of discounts
    restated, see the notes to the accounts
    of which falling due after more than one year
    attributable to the owners of the parent company"""),
)

GERMAN = Terms(
    _lines("""Umsatzerlöse
    -Herstellungskosten des Umsatzes
    +Bruttoergebnis
    Sonstige betriebliche Erträge
    -Vertriebskosten
    -Allgemeine Verwaltungskosten
    -Forschung und Entwicklung
    +Betriebsergebnis
    Zinserträge
    -Zinsen und ähnliche Aufwendungen
    +Ergebnis vor Steuern
    -Steuern vom Einkommen und vom Ertrag
    +Jahresüberschuss"""),
    _lines("""=Anlagevermögen
    Immaterielle Vermögensgegenstände
    Grundstücke und Bauten
    Technische Anlagen und Maschinen
    +Summe Anlagevermögen
    =Umlaufvermögen
    Vorräte
    Forderungen aus Lieferungen und Leistungen
    Kassenbestand und Guthaben bei Kreditinstituten
    +Summe Umlaufvermögen
    +Bilanzsumme"""),
    _lines("""=Laufende Geschäftstätigkeit
    Jahresüberschuss
    Abschreibungen auf Sachanlagen
    -Zunahme der Vorräte
    +Mittelzufluss aus laufender Geschäftstätigkeit
    =Investitionstätigkeit
    -Auszahlungen für Investitionen in das Sachanlagevermögen
    Einzahlungen aus Abgängen
    +Mittelabfluss aus der Investitionstätigkeit
    -Gezahlte Dividenden
    +Veränderung des Finanzmittelbestands"""),
    "Anhang",
    "Summe",
    "Artikel",
    "Einheit",
    "Preis",
    _lines("""Sechskantschraube, verzinkt
    Kupferrohr 22 mm
    Kugelhahn, Messing
    Fertigmörtel, 25 kg
    Bodenfliese, grau matt
    Fenstergriff
    Aufputzdose
    Mantelleitung NYM-J 3 x 1,5
    Dachlatte, gehobelt
    Rinnenhalter"""),
    ("Befestigung", "Sanitär", "Elektro", "Baustoffe"),
    _lines("""Nürnberg Hbf
    Fürth
    Würzburg Süd
    Schönau
    Weißenburg
    Übersee
    Gräfelfing
    Köln-Deutz
    Bad Söden
    Lübeck Hafen"""),
    "Jahr",
    "in Tausend",
    _lines("""davon mit einer Restlaufzeit von mehr als einem Jahr
    angepasst, siehe Erläuterungen im Anhang
    einschließlich Zinsen aus Leasingverhältnissen"""),
)

FRENCH = Terms(
    _lines("""Chiffre d’affaires
    -Coût des ventes
    +Marge brute
    Autres produits opérationnels
    -Frais commerciaux
    -Frais administratifs
    +Résultat opérationnel
    Produits financiers
    -Charges financières
    +Résultat avant impôt
    -Impôt sur les bénéfices
    +Résultat net"""),
    _lines("""=Actifs non courants
    Immobilisations corporelles
    Écarts d’acquisition
    Impôts différés
    +Total des actifs non courants
    =Actifs courants
    Stocks
    Créances clients et autres débiteurs
    Trésorerie
    +Total des actifs courants
    +Total de l’actif"""),
    _lines("""=Activités opérationnelles
    Résultat net
    Amortissements et provisions
    -Variation des stocks
    +Flux net des activités opérationnelles
    =Activités d’investissement
    -Acquisitions d’immobilisations
    Cessions d’immobilisations
    +Flux net des activités d’investissement
    -Dividendes versés
    +Variation de la trésorerie"""),
    "Note",
    "Total",
    "Article",
    "Unité",
    "Prix",
    _lines("""Boulon hexagonal, zingué
    Tube cuivre 22 mm
    Robinet à boisseau, laiton
    Mortier prêt à l’emploi, 25 kg
    Carrelage gris mat
    Poignée de fenêtre
    Boîte de dérivation
    Câble 3 x 1,5
    Liteau raboté
    Crochet de gouttière"""),
    ("Fixations", "Plomberie", "Électricité", "Matériaux"),
    _lines("""Gare centrale
    Hôtel de Ville
    Château d’Eau
    Saint-Étienne
    Pont Neuf
    Place d’Armes
    Les Épinettes
    Quai des Célestins
    Bois-l’Évêque
    Forêt"""),
    "Année",
    "en milliers",
    _lines("""dont à plus d’un an
    retraité, voir les notes annexes
    part du groupe, après impôt différé"""),
)

TERMS = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH}
